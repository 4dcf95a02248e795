/** Makes the texts of `--help` and `--version` from `contract/config.json`. */

import { COMMANDS, FLAGS, type FlagSpec, HEADLINE, PRINTS, USAGE } from '../contract/flags.ts';
import { CONTRACT_VERSION, SERVER_VERSION } from '../contract.ts';

/** Returns the `--help` text, made from the contract. */
export function helpText(): string {
  const options: readonly FlagSpec[] = Object.values(FLAGS);
  const rows = options.map((option): [left: string, right: string] => {
    const notes = [`[env: ${option.env}]`];
    if (typeof option.default === 'string' || typeof option.default === 'number') {
      notes.push(`[default: ${option.default}]`);
    }
    if (option.choices !== undefined) notes.push(`[choices: ${option.choices.join(', ')}]`);
    if (option.minimum !== undefined) notes.push(`[range: ${option.minimum} - ${option.maximum}]`);
    const value = option.value === undefined ? '' : ` ${option.value}`;
    return [`--${option.name}${value}`, `${option.help} ${notes.join(' ')}`];
  });
  for (const flag of PRINTS) rows.push([`-${flag.short}, --${flag.name}`, flag.help]);
  const commands = COMMANDS.map(({ name, operand, help }): [left: string, right: string] => [
    operand === null ? name : `${name} ${operand}`,
    help,
  ]);
  return `${USAGE}\n\n${HEADLINE}\n\nCommands:\n${linesOf(commands)}\nOptions:\n${linesOf(rows)}`;
}

/** Formats rows of two columns. */
function linesOf(rows: readonly (readonly [left: string, right: string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('');
}

/** Returns the `--version` text (rule PRO-04). */
export function versionText(): string {
  return `ingest-server ${SERVER_VERSION} (contract ${CONTRACT_VERSION})\n`;
}
