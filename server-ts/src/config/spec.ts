/** Makes the texts of `--help` and `--version` from `contract/config.json`. */
import { CONFIG_SPEC, CONTRACT_VERSION, SERVER_VERSION } from '../contract.ts';

/** Returns the `--help` text, made from the contract. */
export function helpText(): string {
  const rows = CONFIG_SPEC.options.map((option): [left: string, right: string] => {
    const notes = [`[env: ${option.env}]`];
    if (typeof option.default === 'string' || typeof option.default === 'number') {
      notes.push(`[default: ${option.default}]`);
    }
    if (option.choices !== undefined) notes.push(`[choices: ${option.choices.join(', ')}]`);
    if (option.minimum !== undefined) notes.push(`[range: ${option.minimum} - ${option.maximum}]`);
    const value = option.value === undefined ? '' : ` ${option.value}`;
    return [`--${option.name}${value}`, `${option.help} ${notes.join(' ')}`];
  });
  for (const flag of CONFIG_SPEC.flags) rows.push([`-${flag.short}, --${flag.name}`, flag.help]);
  const width = Math.max(...rows.map(([left]) => left.length));
  const lines = rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`);
  return `${CONFIG_SPEC.usage}\n\n${CONFIG_SPEC.headline}\n\nOptions:\n${lines.join('')}`;
}

/** Returns the `--version` text (rule PRO-04). */
export function versionText(): string {
  return `ingest-server ${SERVER_VERSION} (contract ${CONTRACT_VERSION})\n`;
}
