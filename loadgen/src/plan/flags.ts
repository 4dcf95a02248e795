/**
 * DATA: every flag of every benchmark command, with defaults, bounds and help.
 *
 * Invariant: parsing, checks, help and the types of options follow from these tables. No other code contains a default
 * of a flag, but for those that depend on the mode (`suite.ts`).
 */
import { PEER_S, RATES, ROUNDS, SLICE_S, SOAK_S, UNSIZED_WARM_UP, WARMUP_S } from './lengths.ts';

const MODES = ['startup', 'main', 'batch', 'single', 'open', 'soak', 'all'] as const;
export type RunMode = (typeof MODES)[number];

const COMPARE = ['compare'] as const;
const SUITES = ['sync', 'codecs', 'binary', 'rpc'] as const;
const ALL = [...COMPARE, ...SUITES] as const;
export type CommandName = (typeof ALL)[number] | 'reads' | 'peers' | 'ladders';

export interface Flag {
  /** Kind of the value. The items of a `list` have commas between them. */
  readonly kind: 'switch' | 'text' | 'integer' | 'choice' | 'list';
  readonly commands: readonly CommandName[];
  /** Modes of `compare` that accept the flag; other modes reject it. Default: all modes. */
  readonly modes?: readonly RunMode[];
  /** `--publish` excludes the flag, or values `below` the default. Default: it allows all values. */
  readonly publish?: 'never' | 'not_below';
  /** Placeholder for the value in the help text; default: that of the kind. */
  readonly value?: string;
  readonly default?: number | string;
  /** The default with `--quick`. */
  readonly quick?: number;
  /** Bounds of an integer; default: 1 and 100,000,000. */
  readonly minimum?: number;
  readonly maximum?: number;
  readonly choices?: readonly string[];
}

const LOADS = ['main', 'batch', 'single', 'open', 'soak'] as const;
const LOOPS = ['main', 'batch', 'single', 'open'] as const;
const LOOPS_AND_ALL = [...LOOPS, 'all'] as const;
const IN_BATCHES = ['main', 'batch', 'open', 'soak'] as const;
const ALL_BUT_FULL = [...LOADS, 'startup'] as const;
const LEVELS = ['process', 'power'] as const;
export type Durability = (typeof LEVELS)[number];
const ROUNDED = { commands: ['compare', 'peers'], modes: LOOPS_AND_ALL } as const;
/** Commands whose result is a file. */
const FILED = [...ALL, 'peers', 'ladders'] as const;
const SEEDED = { commands: ['compare', 'sync', 'codecs', 'rpc'] } as const;

/** A flag that changes the load: a reader would take its figures for those of the default load. */
const LOAD = { commands: COMPARE, modes: LOADS, publish: 'never' } as const;

export const FLAGS = {
  mode: { kind: 'choice', commands: COMPARE, choices: MODES, default: 'main' },
  quick: { kind: 'switch', commands: ALL, publish: 'never' },
  all: { kind: 'switch', commands: SUITES, publish: 'never' },
  only: { kind: 'choice', commands: ALL, choices: ['rs', 'ts'], publish: 'never' },
  pick: { kind: 'list', commands: ['compare', 'ladders'], publish: 'never' },
  scenarios: { kind: 'list', commands: SUITES, publish: 'never' },
  events: { ...LOAD, kind: 'integer', modes: LOOPS_AND_ALL, quick: 200_000 },
  stored: { kind: 'integer', commands: ['reads'], default: 1_000_000 },
  duration: { ...LOAD, kind: 'integer', commands: ['compare', 'peers'], value: 'S', maximum: 86_400 },
  driver: { ...LOAD, kind: 'choice', modes: LOOPS_AND_ALL, choices: ['autocannon', 'wrk'] },
  concurrency: { ...LOAD, kind: 'integer', modes: LOOPS, default: 40, maximum: 1000 },
  'batch-size': { ...LOAD, kind: 'integer', modes: IN_BATCHES, default: 50, maximum: 10_000 },
  rate: { kind: 'text', commands: COMPARE, modes: ['open', 'soak'], value: 'RATES', publish: 'never' },
  'stream-clients': { ...LOAD, kind: 'integer', minimum: 0, maximum: 1000 },
  warmup: { ...LOAD, kind: 'integer', minimum: 0, quick: 20_000 },
  rounds: {
    ...ROUNDED,
    kind: 'integer',
    default: ROUNDS.default,
    quick: 1,
    maximum: 100,
    publish: 'not_below',
  },
  plain: { kind: 'switch', commands: COMPARE, modes: ['main', 'all'] },
  starts: { kind: 'integer', commands: COMPARE, default: 10, quick: 3, maximum: 1000, publish: 'not_below' },
  corpus: { kind: 'text', commands: ['compare', 'codecs'], modes: [...LOADS, 'all'] },
  seed: { ...SEEDED, kind: 'integer', publish: 'never', default: 1, minimum: 0, maximum: 2 ** 32 - 1 },
  durability: { ...LOAD, kind: 'choice', modes: ALL_BUT_FULL, choices: LEVELS, default: 'process' },
  out: { kind: 'text', commands: FILED, publish: 'never' },
  publish: { kind: 'switch', commands: FILED, modes: ['all', 'soak'] },
  tables: { kind: 'switch', commands: ['codecs', 'rpc'] },
  json: { kind: 'switch', commands: ALL },
  'no-build': { kind: 'switch', commands: ALL, publish: 'never' },
} as const satisfies Readonly<Record<string, Flag>>;

export const HELP: Readonly<Record<FlagName, string>> = {
  mode: 'main: a closed loop and open loops in the same processes; all: the full comparison',
  quick: 'feedback in one to three minutes',
  all: 'the whole matrix, up to half an hour',
  only: 'measure one server alone',
  pick: 'only these measurements, by their names in the result, with commas',
  scenarios: 'only these scenarios, with commas',
  events: 'events that a closed loop has in each round, instead of a length',
  stored: 'events of the database that is read; it is made once, in .bench/',
  duration:
    'length of a slice; of a closed loop, the events that the faster server takes so long for ' +
    `[${SLICE_S.batch}, single events ${SLICE_S.single}, open loop ${SLICE_S.open}, soak ${SOAK_S.default}, peers ${PEER_S}]`,
  driver: 'what sends in a closed loop; wrk costs least and reports no latencies [wrk where it is installed]',
  concurrency: 'connections',
  'batch-size': 'events in a request',
  rate: `events/s, or in an open loop also shares of each server's own throughput [open ${RATES.all}; soak ${RATES.soak}]`,
  'stream-clients':
    'clients of the live stream during the load, each checked against the file [soak 10, else 0]',
  warmup:
    `events to warm up [closed loop ${UNSIZED_WARM_UP.batch}, of single events ${UNSIZED_WARM_UP.single}, ` +
    `of plain servers ${UNSIZED_WARM_UP.plain}; ` +
    `at a rate ${WARMUP_S.open} s, soak ${WARMUP_S.soak} s]`,
  rounds:
    'rounds: fresh processes of both servers, whose slices follow each other in the order A B B A ' +
    `(--mode=all: ${ROUNDS.headline} of the headline)`,
  plain: 'also measure a plain server of each language: what the design is worth, and what the language',
  starts: 'starts measured per server',
  corpus: 'recorded events instead of generated ones: NDJSON, gzip or not',
  seed: 'seed of the generator of events, ids and values',
  durability: 'the durability that both servers run with',
  out: 'where the result is written [below .bench/]',
  publish:
    'replace the committed result, which pnpm results:update documents; needs a default run of committed sources',
  tables: 'print every row as well',
  json: 'print the result as JSON instead of the tables',
  'no-build': 'measure what is built, stale or not',
};

type Table = typeof FLAGS;
export type FlagName = keyof Table;

/** The entries of the table with the type `Flag`, for code that handles all flags in the same way. */
export const FLAG_ENTRIES = Object.entries(FLAGS) as readonly (readonly [FlagName, Flag])[];

type Camel<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Text;

type ValuesOfKinds = { switch: boolean; list: readonly string[]; integer: number; text: string };

/** A `choice` is one of the words of its flag. */
type ValueOf<One extends Flag> =
  | (One extends { choices: readonly (infer Choice)[] }
      ? Choice
      : ValuesOfKinds[Exclude<One['kind'], 'choice'>])
  | (One extends { kind: 'switch' } | { default: unknown } ? never : undefined);

/**
 * All flags by their names in camel case. A flag that is not given, or that the command does not have, has its default;
 * without a default it is `undefined`.
 */
export type Values = { readonly [Name in FlagName as Camel<Name>]: ValueOf<Table[Name]> };
