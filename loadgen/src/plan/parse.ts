/**
 * Parses the command line of every benchmark command by the table of flags.
 *
 * Invariants: all problems are reported at once, and no default replaces a wrong value. A bare `--`, which pnpm passes
 * on, is ignored.
 */
import { flagLines, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import type { CommandName, Flag } from './flag.ts';
import { FLAG_ENTRIES, type FlagName, type Values } from './flags.ts';

export interface Usage<Command extends CommandName> {
  readonly name: Command;
  /** What the command does, in full lines; `exit` lists its exit codes. */
  readonly about: string;
  readonly exit: string;
  readonly scenarios?: readonly string[];
}

export type Parsed<Options> =
  | { readonly kind: 'run'; readonly options: Options }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/** The values of all flags of a command, and the names of the given flags. */
export type Given<Command extends CommandName> = Values<Command> & {
  readonly given: ReadonlySet<FlagName>;
};

/** Parses a command line. `finish` converts the values to options and adds the problems of flags that conflict. */
export function parseCommand<Command extends CommandName, Options>(
  usage: Usage<Command>,
  argv: readonly string[],
  finish: (values: Given<Command>, problems: string[]) => Options,
): Parsed<Options> {
  const table = FLAG_ENTRIES.filter(([, { commands }]) => commands.includes(usage.name));
  const parsed = parseFlags<FlagName>(argv, Object.fromEntries(table) as Record<FlagName, Flag>);
  if (parsed.kind === 'help') return { kind: 'help', text: helpText(usage, table) };
  const { flags, words } = parsed;
  const problems = parsed.kind === 'wrong' ? parsed.problems : [];
  problems.push(...words.map((word) => `unexpected argument ${word}`));
  const values = table.map(([name, flag]) => {
    const preset = (flags.has('quick') ? flag.quick : undefined) ?? flag.default;
    // A flag whose value is missing is a problem already.
    const value = flags.get(name) || preset;
    return [
      camel(name),
      flag.kind === 'switch' ? flags.has(name) : accepted(name, flag, value, usage, problems),
    ];
  });
  const given = { ...Object.fromEntries(values), given: new Set(flags.keys()) } as Given<Command>;
  const options = finish(given, problems);
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'run', options };
}

function accepted(
  name: FlagName,
  { kind, choices = [], minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Flag,
  value: string | number | undefined,
  usage: Usage<CommandName>,
  problems: string[],
): string | number | readonly string[] | undefined {
  if (value === undefined || kind === 'text') return value;
  const text = String(value);
  if (kind === 'list') {
    const list = text.split(',');
    const known = name === 'scenarios' ? (usage.scenarios ?? []) : list;
    for (const one of list)
      if (!known.includes(one)) problems.push(`--${name} knows ${known.join(', ')}, not ${one}`);
    return list;
  }
  if (kind === 'choice') {
    if (!choices.includes(text)) problems.push(`--${name} must be one of ${choices.join(', ')}, not ${text}`);
    return text;
  }
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= minimum && number <= maximum) return number;
  problems.push(`--${name} must be an integer from ${minimum} to ${maximum}, not ${text}`);
  return minimum;
}

function camel(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function helpText(
  { name: command, about, exit, scenarios }: Usage<CommandName>,
  table: typeof FLAG_ENTRIES,
): string {
  const shown = table.map(([name, flag]) => {
    const { help, default: preset, choices } = flag;
    const among = name === 'scenarios' ? scenarios : choices;
    const listed = among === undefined ? '' : ` (${among.join(', ')})`;
    return [
      name,
      { ...flag, help: `${help}${listed}${preset === undefined ? '' : ` [${preset}]`}` },
    ] as const;
  });
  const usage = `Usage: pnpm bench:${command} [-- FLAGS]`;
  return `${usage}\n\n${about}\n\n${flagLines(Object.fromEntries(shown))}\n${exit}\n`;
}

/** Returns the command line as a result stores it. Files have no folder, since folders belong to one machine. */
export function shownFlags(argv: readonly string[]): string[] {
  return argv
    .filter((argument) => argument !== '--')
    .map((argument) => argument.replace(/^(--[\w-]+=)?(.*[/\\])/, '$1'));
}
