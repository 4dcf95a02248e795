/**
 * Parses the command line of every benchmark command by the table of flags.
 *
 * Invariants: all problems are reported at once, and no default replaces a wrong value. A bare `--`, which pnpm passes
 * on, is ignored.
 */
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import type { CommandName, Flag } from './flag.ts';
import { FLAG_ENTRIES, type FlagName, type Values } from './flags.ts';

export interface Usage<Command extends CommandName> {
  readonly name: Command;
  /** Names of the positional arguments, as the help shows them. */
  readonly words?: readonly string[];
  /** What the command does, in full lines; `exit` lists its exit codes. */
  readonly about: string;
  readonly exit: string;
  /** Names of all scenarios of the command. */
  readonly scenarios?: readonly string[];
}

export type Parsed<Options> =
  | { readonly kind: 'run'; readonly options: Options }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/** The values of all flags of a command, the names of the given flags, and the positional arguments. */
export type Given<Command extends CommandName> = Values<Command> & {
  readonly given: ReadonlySet<FlagName>;
  readonly words: readonly string[];
};

/** Parses a command line. `finish` converts the values to options and adds the problems of flags that conflict. */
export function parseCommand<Command extends CommandName, Options>(
  usage: Usage<Command>,
  argv: readonly string[],
  finish: (values: Given<Command>, problems: string[]) => Options,
): Parsed<Options> {
  const problems: string[] = [];
  const { texts, words } = readTexts(usage, argv, problems);
  if (texts.has('help')) return { kind: 'help', text: helpText(usage) };
  const values = flagsOf(usage.name).map(([name, flag]) => [
    camel(name),
    parsedValue(name, flag, { texts, usage, problems }),
  ]);
  const given = { ...Object.fromEntries(values), given: new Set(texts.keys()), words } as Given<Command>;
  const options = finish(given, problems);
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'run', options };
}

function flagsOf(command: CommandName): (readonly [FlagName, Flag])[] {
  return FLAG_ENTRIES.filter(([, { commands }]) => commands.includes(command));
}

type Texts = ReadonlyMap<FlagName, string>;

/** Returns the given flags with their texts, in the order of the command line. A switch has an empty text. */
function readTexts(
  { name: command, words: wanted = [] }: Usage<CommandName>,
  argv: readonly string[],
  problems: string[],
): { texts: Texts; words: string[] } {
  const known = new Map(flagsOf(command));
  const { tokens } = parseArgs({
    args: argv.filter((argument) => argument !== '--'),
    options: Object.fromEntries(
      [...known].map(([name, { kind }]) => [
        name,
        { type: kind === 'switch' ? ('boolean' as const) : ('string' as const) },
      ]),
    ),
    strict: false,
    tokens: true,
  });
  const texts = new Map<FlagName, string>();
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const { rawName, value } = token;
    const name = token.name as FlagName;
    const flag = known.get(name);
    if (flag === undefined || !rawName.startsWith('--'))
      problems.push(`unknown flag ${rawName}; --help lists all`);
    else if (texts.has(name)) problems.push(`${rawName} is given twice`);
    else if (flag.kind === 'switch') {
      if (value !== undefined) problems.push(`${rawName} takes no value`);
      texts.set(name, '');
    } else if (value === undefined || value === '' || value.startsWith('--'))
      problems.push(`${rawName} needs a value`);
    else texts.set(name, value);
  }
  if (wanted.length === 0) problems.push(...words.map((word) => `unexpected argument ${word}`));
  else if (words.length !== wanted.length)
    problems.push(`expected ${wanted.join(' ')}, got ${words.length} arguments; --help shows the usage`);
  return { texts, words };
}

interface Reading {
  readonly texts: Texts;
  readonly usage: Usage<CommandName>;
  readonly problems: string[];
}

function parsedValue(name: FlagName, flag: Flag, { texts, usage, problems }: Reading) {
  const given = texts.get(name);
  switch (flag.kind) {
    case 'switch':
      return given !== undefined;
    case 'text':
      return given ?? flag.default;
    case 'list': {
      const list = given?.split(',');
      const known = name === 'scenarios' ? (usage.scenarios ?? []) : (list ?? []);
      for (const one of list ?? [])
        if (!known.includes(one)) problems.push(`--${name} knows ${known.join(', ')}, not ${one}`);
      return list;
    }
    case 'choice': {
      const value = given ?? flag.default;
      if (value !== undefined && !flag.choices!.includes(String(value)))
        problems.push(`--${name} must be one of ${flag.choices!.join(', ')}, not ${value}`);
      return value;
    }
    case 'integer': {
      if (given === undefined) return (texts.has('quick') ? flag.quick : undefined) ?? flag.default;
      const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = flag;
      const number = /^\d+$/.test(given) ? Number(given) : Number.NaN;
      if (number >= minimum && number <= maximum) return number;
      problems.push(`--${name} must be an integer from ${minimum} to ${maximum}, not ${given}`);
      return minimum;
    }
  }
}

function camel(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function helpText({ name, words = [], about, exit, scenarios }: Usage<CommandName>): string {
  const lines = flagsOf(name).map(([flag, { value, help, choices, default: preset }]) => {
    const shown = `--${flag}${value === undefined ? '' : `=${value}`}`;
    const among = flag === 'scenarios' ? scenarios : choices;
    const listed = among === undefined ? '' : ` (${among.join(', ')})`;
    return `  ${shown.padEnd(26)}${help}${listed}${preset === undefined ? '' : ` [${preset}]`}`;
  });
  return [
    `Usage: pnpm bench:${name} ${[...words, '[-- FLAGS]'].join(' ')}`,
    '',
    about,
    '',
    ...lines,
    '',
    exit,
    '',
  ].join('\n');
}

const FILES = FLAG_ENTRIES.filter(([, { isFile }]) => isFile === true).map(([name]) => name);

/** Returns the command line as a result stores it. Files have no folder, since folders belong to one machine. */
export function shownFlags(argv: readonly string[]): string[] {
  const joined = new RegExp(`^(--(?:${FILES.join('|')}))=(.+)$`, 's');
  const apart = new Set(FILES.map((name) => `--${name}`));
  return argv
    .filter((argument) => argument !== '--')
    .map((argument, i, all) => {
      const found = joined.exec(argument);
      if (found !== null) return `${found[1]}=${basename(found[2]!)}`;
      return i > 0 && apart.has(all[i - 1]!) ? basename(argument) : argument;
    });
}
