/**
 * The command line: one table of flags and defaults, one check before anything runs.
 *
 * What must stay true: every problem is reported at once, nothing wrong is replaced by a default, and the
 * help is printed from the same table. Starts nothing and reads no file but to see whether the corpus exists.
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isTargetName, type TargetName } from '../../parity-tests/src/targets.ts';

export type Durability = 'process' | 'power';

export interface Options {
  readonly events: number;
  readonly concurrency: number;
  readonly batchSize: number;
  readonly warmup: number;
  readonly rounds: number;
  readonly starts: number;
  readonly seed: number;
  readonly durability: Durability;
  readonly maxMetadataBytes: number | undefined;
  readonly corpus: string | undefined;
  readonly only: TargetName | undefined;
  readonly out: string | undefined;
  readonly json: boolean;
  readonly build: boolean;
}

export type ParsedOptions =
  | { readonly kind: 'run'; readonly options: Options }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

type FlagName =
  | 'events'
  | 'concurrency'
  | 'batch-size'
  | 'warmup'
  | 'rounds'
  | 'starts'
  | 'seed'
  | 'durability'
  | 'max-metadata-bytes'
  | 'corpus'
  | 'only'
  | 'out'
  | 'json'
  | 'no-build'
  | 'help';

interface Flag {
  readonly value?: string;
  readonly default?: number | string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly choices?: readonly string[];
  readonly help: string;
}

export const FLAGS: Readonly<Record<FlagName, Flag>> = {
  events: {
    value: 'N',
    default: 1_200_000,
    minimum: 1,
    maximum: 100_000_000,
    help: 'events measured in each round',
  },
  concurrency: {
    value: 'N',
    default: 40,
    minimum: 1,
    maximum: 1000,
    help: 'connections, each with one request at a time',
  },
  'batch-size': { value: 'N', default: 50, minimum: 1, maximum: 10_000, help: 'events in a request' },
  warmup: {
    value: 'N',
    default: 20_000,
    minimum: 0,
    maximum: 100_000_000,
    help: 'events sent before each measurement',
  },
  rounds: {
    value: 'N',
    default: 5,
    minimum: 1,
    maximum: 100,
    help: 'rounds per server, in the order A B B A',
  },
  starts: { value: 'N', default: 10, minimum: 1, maximum: 1000, help: 'starts measured per server' },
  seed: {
    value: 'N',
    default: 1,
    minimum: 0,
    maximum: 4_294_967_295,
    help: 'what events and ids are made from',
  },
  durability: {
    value: 'LEVEL',
    default: 'process',
    choices: ['process', 'power'],
    help: 'what both servers promise',
  },
  'max-metadata-bytes': {
    value: 'N',
    minimum: 256,
    maximum: 16_777_216,
    help: "passed to both servers; without it, the contract's own",
  },
  corpus: { value: 'FILE', help: 'real events instead of generated ones: NDJSON, gzip or not' },
  only: { value: 'NAME', choices: ['rs', 'ts'], help: 'measure one server alone' },
  out: { value: 'FILE', help: 'where the result is written' },
  json: { help: 'print the result as JSON on stdout instead of the table' },
  'no-build': { help: 'measure what is built, although its sources may be newer' },
  help: { help: 'print this text and exit' },
};

/** Flags as they stand after the program; a bare `--`, which pnpm passes on, means nothing. */
export function parseOptions(argv: readonly string[]): ParsedOptions {
  const problems: string[] = [];
  const given = readFlags(argv, problems);
  if (given.has('help')) return { kind: 'help', text: helpText() };
  const options: Options = {
    events: integer(given, 'events', problems)!,
    concurrency: integer(given, 'concurrency', problems)!,
    batchSize: integer(given, 'batch-size', problems)!,
    warmup: integer(given, 'warmup', problems)!,
    rounds: integer(given, 'rounds', problems)!,
    starts: integer(given, 'starts', problems)!,
    seed: integer(given, 'seed', problems)!,
    durability: choice(given, 'durability', problems) as Durability,
    maxMetadataBytes: integer(given, 'max-metadata-bytes', problems),
    corpus: given.get('corpus'),
    only: onlyTarget(choice(given, 'only', problems)),
    out: given.get('out'),
    json: given.has('json'),
    build: !given.has('no-build'),
  };
  if (problems.length === 0) checkTogether(options, problems);
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'run', options };
}

function readFlags(argv: readonly string[], problems: string[]): Map<FlagName, string> {
  const { tokens } = parseArgs({
    args: argv.filter((argument) => argument !== '--'),
    options: Object.fromEntries(
      Object.entries(FLAGS).map(([name, flag]) => [
        name,
        { type: flag.value ? ('string' as const) : ('boolean' as const) },
      ]),
    ),
    strict: false,
    tokens: true,
  });
  const given = new Map<FlagName, string>();
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`unexpected argument ${token.value}`);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    if (!isFlag(name) || !rawName.startsWith('--'))
      problems.push(`unknown flag ${rawName}; --help lists all`);
    else if (given.has(name)) problems.push(`${rawName} is given twice`);
    else if (FLAGS[name].value === undefined) {
      if (value !== undefined) problems.push(`${rawName} takes no value`);
      given.set(name, '');
    } else if (value === undefined || value === '' || value.startsWith('--'))
      problems.push(`${rawName} needs a value`);
    else given.set(name, value);
  }
  return given;
}

function isFlag(name: string): name is FlagName {
  return Object.hasOwn(FLAGS, name);
}

function onlyTarget(name: string | undefined): TargetName | undefined {
  return name !== undefined && isTargetName(name) ? name : undefined;
}

function integer(given: Map<FlagName, string>, name: FlagName, problems: string[]): number | undefined {
  const flag = FLAGS[name];
  const text = given.get(name);
  if (text === undefined) return typeof flag.default === 'number' ? flag.default : undefined;
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = flag;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= minimum && number <= maximum) return number;
  problems.push(`--${name} must be an integer from ${minimum} to ${maximum}, not ${text}`);
  return minimum;
}

function choice(given: Map<FlagName, string>, name: FlagName, problems: string[]): string | undefined {
  const flag = FLAGS[name];
  const text = given.get(name) ?? (flag.default as string | undefined);
  if (text === undefined || flag.choices!.includes(text)) return text;
  problems.push(`--${name} must be one of ${flag.choices!.join(', ')}, not ${text}`);
  return flag.choices![0];
}

/** What no flag can tell alone. */
function checkTogether(options: Options, problems: string[]): void {
  const requests = Math.ceil(options.events / options.batchSize);
  if (requests < options.concurrency) {
    problems.push(
      `--events ${options.events} in batches of ${options.batchSize} are ${requests} requests, ` +
        `fewer than --concurrency ${options.concurrency}`,
    );
  }
  if (options.corpus !== undefined && !existsSync(options.corpus)) {
    problems.push(`--corpus ${options.corpus} does not exist`);
  }
}

export function helpText(): string {
  const lines = Object.entries(FLAGS).map(([name, flag]) => {
    const shown = `--${name}${flag.value ? `=${flag.value}` : ''}`;
    const choices = flag.choices ? ` (${flag.choices.join(', ')})` : '';
    const preset = flag.default === undefined ? '' : ` [${flag.default}]`;
    return `  ${shown.padEnd(26)}${flag.help}${choices}${preset}`;
  });
  return [
    'Usage: pnpm bench:compare [-- FLAGS]',
    '',
    'Starts both servers in turn, sends them the same events, and says how they compare.',
    '',
    ...lines,
    '',
    'Exit: 0 compared, 1 a server or the comparison failed, 2 a flag is wrong, 130 interrupted.',
    '',
  ].join('\n');
}
