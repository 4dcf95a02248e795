/**
 * Parses the command line of a script: a table of flags, and positional words.
 *
 * Invariants: every problem is reported at once, and no default replaces a wrong value. A bare `--`, which pnpm passes
 * on, is ignored.
 */
import { parseArgs } from 'node:util';

export interface Flag {
  /** The placeholder of the value in the help; a flag without one takes no value. */
  readonly value?: string;
  readonly help: string;
}

export type FlagTable<Name extends string> = Readonly<Record<Name, Flag>>;

interface Given<Name extends string> {
  /** The text of each given flag; empty for a flag without value. */
  readonly flags: ReadonlyMap<Name, string>;
  readonly words: readonly string[];
}

/** `help`: the user requested the help text. `wrong`: every problem, one a line. */
export type ParsedFlags<Name extends string> =
  | { readonly kind: 'help' }
  | ({ readonly kind: 'wrong'; readonly problems: string[] } & Given<Name>)
  | ({ readonly kind: 'given' } & Given<Name>);

export function parseFlags<Name extends string>(
  argv: readonly string[],
  table: FlagTable<Name>,
): ParsedFlags<Name> {
  const known = Object.entries<Flag>(table);
  const { tokens } = parseArgs({
    args: argv.filter((argument) => argument !== '--'),
    options: Object.fromEntries([
      ['help', { type: 'boolean' as const }],
      ...known.map(([name, flag]) => [
        name,
        { type: flag.value ? ('string' as const) : ('boolean' as const) },
      ]),
    ]),
    strict: false,
    tokens: true,
  });
  const problems: string[] = [];
  const flags = new Map<Name, string>();
  const words: string[] = [];
  let isHelp = false;
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    if (rawName === '--help' && value === undefined) isHelp = true;
    else if (!Object.hasOwn(table, name) || !rawName.startsWith('--'))
      problems.push(`unknown flag ${rawName}; --help lists all`);
    else if (flags.has(name as Name)) problems.push(`${rawName} is given twice`);
    else {
      const takesValue = table[name as Name].value !== undefined;
      if (!takesValue && value !== undefined) problems.push(`${rawName} takes no value`);
      const isMissing = takesValue && (value === undefined || value === '' || value.startsWith('--'));
      if (isMissing) problems.push(`${rawName} needs a value`);
      flags.set(name as Name, isMissing ? '' : (value ?? ''));
    }
  }
  if (isHelp) return { kind: 'help' };
  return problems.length > 0 ? { kind: 'wrong', problems, flags, words } : { kind: 'given', flags, words };
}

/** Returns one line for each flag. */
export function flagLines(table: FlagTable<string>): string {
  const all: [string, Flag][] = [...Object.entries(table), ['help', { help: 'print this text' }]];
  const left = all.map(([name, { value }]) => `--${name}${value === undefined ? '' : ` ${value}`}`);
  const width = Math.max(...left.map((text) => text.length));
  return all.map(([, { help }], i) => `  ${left[i]!.padEnd(width)}  ${help}\n`).join('');
}

/** Returns the number of a flag within its bounds; otherwise adds a problem and returns `fallback`. */
export function numberOf<Name extends string>(
  flags: ReadonlyMap<Name, string>,
  name: Name,
  [minimum, fallback, maximum]: readonly [number, number, number],
  problems: string[],
): number {
  const text = flags.get(name);
  if (text === undefined) return fallback;
  const number = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (number >= minimum && number <= maximum) return number;
  problems.push(`--${name} must be a number from ${minimum} to ${maximum}, not ${text}`);
  return fallback;
}
