/**
 * Parses the command line of every benchmark command by the table of flags.
 *
 * Invariants: all problems are reported at once, and no default replaces a wrong value. A bare `--`, which pnpm passes
 * on, is ignored.
 */
import { flagLines, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type CommandName, FLAG_ENTRIES, type Flag, type FlagName, HELP, type Values } from './flags.ts';

export interface Usage {
  readonly name: CommandName;
  /** What the command does, in full lines; `exit` lists its exit codes. */
  readonly about: string;
  readonly exit: string;
  readonly scenarios?: readonly string[];
}

export type Parsed<Options> =
  | { readonly kind: 'run'; readonly options: Options }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/** The values of all flags, the servers that `--only` leaves, and the names of the given flags. */
export interface Given extends Omit<Values, 'only'> {
  readonly targets: readonly TargetName[];
  readonly given: ReadonlySet<FlagName>;
}

/** Placeholders of values in the help text. A switch has no value. */
const VALUES = { integer: 'N', choice: 'NAME', list: 'NAMES', text: 'FILE' } as const;

/** Parses a command line. `finish` converts the values to options and adds the problems of flags that conflict. */
export function parseCommand<Options>(
  { name: command, about, exit, scenarios = [] }: Usage,
  argv: readonly string[],
  finish: (values: Given, problems: string[]) => Options,
): Parsed<Options> {
  const table = FLAG_ENTRIES.map(
    ([name, flag]) => [name, name === 'scenarios' ? { ...flag, choices: scenarios } : flag] as const,
  );
  const own = table.filter(([, { commands }]) => commands.includes(command));
  const shown = Object.fromEntries(own.map(([name, flag]) => [name, shownFlag(name, flag)]));
  const parsed = parseFlags<FlagName>(argv, shown as Record<FlagName, { help: string }>);
  if (parsed.kind === 'help') {
    const text = `Usage: pnpm bench:${command} [-- FLAGS]\n\n${about}\n\n${flagLines(shown)}\n${exit}\n`;
    return { kind: 'help', text };
  }
  const { flags, words } = parsed;
  const problems = parsed.kind === 'wrong' ? parsed.problems : [];
  problems.push(...words.map((word) => `unexpected argument ${word}`));
  const values = table.map(([name, flag]) => {
    const preset = (flags.has('quick') ? flag.quick : undefined) ?? flag.default;
    // A flag whose value is missing is a problem already.
    const value =
      flag.kind === 'switch' ? flags.has(name) : accepted(name, flag, flags.get(name) || preset, problems);
    return [name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()), value];
  });
  if (flags.has('publish'))
    for (const [name, flag] of own)
      if (flags.has(name)) problems.push(...unpublished(name, flag, flags.get(name)!));
  const { only, ...rest } = Object.fromEntries(values) as Values;
  const targets = only === undefined ? TARGET_NAMES : [only];
  const options = finish({ ...rest, targets, given: new Set(flags.keys()) }, problems);
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'run', options };
}

/** Returns why a result with this flag must not become the committed one; nothing if it may. */
function unpublished(name: FlagName, { publish, default: preset }: Flag, value: string): string[] {
  if (publish === 'never') return [`--publish excludes --${name}: the committed result is of a default run`];
  const isBelow = publish === 'not_below' && Number(value) < Number(preset);
  return isBelow ? [`--publish needs --${name} of at least ${preset}`] : [];
}

function shownFlag(name: FlagName, { kind, value, default: preset, choices }: Flag) {
  const words = choices === undefined ? '' : ` (${choices.join(', ')})`;
  const help = `${HELP[name]}${words}${preset === undefined ? '' : ` [${preset}]`}`;
  return kind === 'switch' ? { help } : { value: value ?? VALUES[kind], help };
}

function accepted(
  name: FlagName,
  { kind, choices, minimum = 1, maximum = 100_000_000 }: Flag,
  value: string | number | undefined,
  problems: string[],
): string | number | readonly string[] | undefined {
  if (value === undefined || kind === 'text') return value;
  const text = String(value);
  if (kind === 'integer') {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= minimum && number <= maximum) return number;
    problems.push(`--${name} must be an integer from ${minimum} to ${maximum}, not ${text}`);
    return minimum;
  }
  const [list, rule] = kind === 'list' ? [text.split(','), 'knows'] : [[text], 'must be one of'];
  for (const one of list)
    if (choices?.includes(one) === false)
      problems.push(`--${name} ${rule} ${choices.join(', ')}, not ${one}`);
  return kind === 'list' ? list : text;
}

/**
 * Returns the command line as a result stores it. Files have no folder, since folders belong to one machine. A reader
 * who repeats the run must not publish it.
 */
export function shownFlags(argv: readonly string[]): string[] {
  return argv
    .filter((argument) => argument !== '--' && argument !== '--publish')
    .map((argument) => argument.replace(/^(--[\w-]+=)?(.*[/\\])/, '$1'));
}
