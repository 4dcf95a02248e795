/**
 * DATA: every flag of every benchmark command, with defaults, bounds and help.
 *
 * Invariant: parsing, checks, help and the types of options follow from this table. No other code contains a default of
 * a flag.
 */
import { type CommandName, type Flag, MODES } from './flag.ts';
import {
  DEFAULT_RATES,
  HEADLINE_ROUNDS,
  PEER_S,
  ROUNDS,
  SLICE_S,
  SOAK_S,
  UNSIZED_WARM_UP,
  WARMUP_S,
} from './lengths.ts';

const COUNT = { kind: 'integer', value: 'N', minimum: 1, maximum: 100_000_000 } as const;
const ALL_SUITES = ['compare', 'sync', 'codecs', 'binary', 'rpc'] as const;
const LOADS = ['main', 'batch', 'single', 'open', 'soak'] as const;
const COUNT_OF_LOAD = { ...COUNT, commands: ['compare'], modes: LOADS, changesLoad: true } as const;

export const FLAGS = {
  mode: {
    kind: 'choice',
    commands: ['compare'],
    value: 'MODE',
    default: 'main',
    choices: MODES,
    help: 'main: a closed loop and open loops in the same processes; all: the full comparison',
  },
  quick: {
    kind: 'switch',
    commands: ALL_SUITES,
    help: 'feedback within a minute, never the committed result',
  },
  all: {
    kind: 'switch',
    commands: ['sync', 'codecs', 'binary', 'rpc'],
    help: 'the whole matrix, up to half an hour',
  },
  only: {
    kind: 'choice',
    commands: ALL_SUITES,
    value: 'NAME',
    choices: ['rs', 'ts'],
    help: 'measure one server alone',
  },
  pick: {
    kind: 'list',
    commands: ['compare', 'ladders'],
    value: 'NAMES',
    help: 'only these measurements, by their names in the result, with commas',
  },
  scenarios: {
    kind: 'list',
    commands: ['sync', 'codecs', 'binary', 'rpc'],
    value: 'NAMES',
    help: 'only these scenarios, with commas',
  },
  events: {
    ...COUNT,
    commands: ['compare'],
    modes: ['main', 'batch', 'single', 'open', 'all'],
    quick: 200_000,
    help: 'events that a closed loop has in each round, instead of a length',
  },
  stored: {
    ...COUNT,
    commands: ['reads'],
    default: 1_000_000,
    help: 'events of the database that is read; it is made once, in .bench/',
  },
  duration: {
    kind: 'integer',
    commands: ['compare', 'peers'],
    modes: LOADS,
    value: 'S',
    minimum: 1,
    maximum: 86_400,
    help:
      'length of a slice; of a closed loop, the events that the faster server takes so long for ' +
      `[${SLICE_S.batch}, single events ${SLICE_S.single}, open loop ${SLICE_S.open}, soak ${SOAK_S}, peers ${PEER_S}]`,
  },
  driver: {
    kind: 'choice',
    commands: ['compare'],
    modes: ['main', 'batch', 'single', 'open', 'all'],
    changesLoad: true,
    value: 'NAME',
    choices: ['autocannon', 'wrk'],
    help: 'what sends in a closed loop; wrk costs least and reports no latencies [wrk where it is installed]',
  },
  concurrency: {
    ...COUNT_OF_LOAD,
    modes: ['main', 'batch', 'single', 'open'],
    default: 40,
    maximum: 1000,
    help: 'connections',
  },
  'batch-size': {
    ...COUNT_OF_LOAD,
    modes: ['main', 'batch', 'open', 'soak'],
    default: 50,
    maximum: 10_000,
    help: 'events in a request',
  },
  rate: {
    kind: 'text',
    commands: ['compare'],
    modes: ['open', 'soak'],
    value: 'RATES',
    help: `events/s, or in an open loop also shares of each server's own throughput [open ${DEFAULT_RATES}; soak 10000]`,
  },
  'stream-clients': {
    ...COUNT_OF_LOAD,
    minimum: 0,
    maximum: 1000,
    help: 'clients of the live stream during the load, each checked against the file [soak 10, else 0]',
  },
  warmup: {
    ...COUNT_OF_LOAD,
    minimum: 0,
    quick: 20_000,
    help:
      `events to warm up [closed loop ${UNSIZED_WARM_UP.batch}, of single events ${UNSIZED_WARM_UP.single}; ` +
      `at a rate ${WARMUP_S.open} s, soak ${WARMUP_S.soak} s]`,
  },
  rounds: {
    kind: 'integer',
    commands: ['compare', 'peers'],
    modes: ['main', 'batch', 'single', 'open', 'all'],
    value: 'N',
    default: ROUNDS,
    quick: 1,
    minimum: 1,
    maximum: 100,
    help:
      'rounds: fresh processes of both servers, whose slices follow each other in the order A B B A ' +
      `(--mode=all: ${HEADLINE_ROUNDS} of the headline)`,
  },
  plain: {
    kind: 'switch',
    commands: ['compare'],
    modes: ['main', 'all'],
    help: 'also measure a plain server of each language: what the design is worth, and what the language',
  },
  starts: {
    kind: 'integer',
    commands: ['compare'],
    value: 'N',
    default: 10,
    quick: 3,
    minimum: 1,
    maximum: 1000,
    help: 'starts measured per server',
  },
  corpus: {
    kind: 'text',
    commands: ['compare', 'codecs'],
    modes: ['main', 'batch', 'single', 'open', 'soak', 'all'],
    value: 'FILE',
    help: 'recorded events instead of generated ones: NDJSON, gzip or not',
  },
  seed: {
    kind: 'integer',
    commands: ['compare', 'sync', 'codecs', 'rpc'],
    changesLoad: true,
    value: 'N',
    default: 1,
    minimum: 0,
    maximum: 4_294_967_295,
    help: 'seed of the generator of events, ids and values',
  },
  durability: {
    kind: 'choice',
    commands: ['compare'],
    modes: ['main', 'batch', 'single', 'open', 'soak', 'startup'],
    changesLoad: true,
    value: 'LEVEL',
    default: 'process',
    choices: ['process', 'power'],
    help: 'the durability that both servers run with',
  },
  out: {
    kind: 'text',
    commands: [...ALL_SUITES, 'peers', 'ladders'],
    value: 'FILE',
    help: 'where the result is written; a suite adds its part to a result of bench:compare that is there',
  },
  tables: { kind: 'switch', commands: ['codecs', 'rpc'], help: 'print every row as well' },
  json: {
    kind: 'switch',
    commands: ALL_SUITES,
    help: 'print the result as JSON instead of the tables',
  },
  'no-build': { kind: 'switch', commands: ALL_SUITES, help: 'measure what is built, stale or not' },
} as const satisfies Readonly<Record<string, Flag>>;

type Table = typeof FLAGS;
export type FlagName = keyof Table;

/** The entries of the table with the type `Flag`, for code that handles all flags in the same way. */
export const FLAG_ENTRIES = Object.entries(FLAGS) as readonly (readonly [FlagName, Flag])[];

type NamesOf<Command extends CommandName> = {
  [Name in FlagName]: Command extends Table[Name]['commands'][number] ? Name : never;
}[FlagName];

type Camel<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Text;

type Given<One, Value> = One extends { readonly default: unknown } ? Value : Value | undefined;

type ValueOf<One extends Flag> = One extends { readonly kind: 'switch' }
  ? boolean
  : One extends { readonly kind: 'list' }
    ? readonly string[] | undefined
    : One extends { readonly kind: 'integer' }
      ? Given<One, number>
      : One extends { readonly kind: 'choice'; readonly choices: readonly (infer Choice)[] }
        ? Given<One, Choice>
        : string | undefined;

/** The flags of a command by their names in camel case; `undefined` for a flag that is not given and has no default. */
export type Values<Command extends CommandName> = {
  readonly [Name in NamesOf<Command> as Camel<Name>]: ValueOf<Table[Name]>;
};
