/**
 * DATA: the flags of `pnpm bench:compare`, with defaults, bounds and help.
 *
 * What must stay true: parsing, checks and the help all follow this table, and nothing else names a default.
 */

export type FlagName =
  | 'mode'
  | 'quick'
  | 'only'
  | 'pick'
  | 'events'
  | 'duration'
  | 'driver'
  | 'concurrency'
  | 'batch-size'
  | 'rate'
  | 'stream-clients'
  | 'soak-minutes'
  | 'warmup'
  | 'rounds'
  | 'starts'
  | 'corpus'
  | 'payload'
  | 'ids'
  | 'seed'
  | 'preload'
  | 'durability'
  | 'max-metadata-bytes'
  | 'threshold'
  | 'out'
  | 'json'
  | 'md'
  | 'html'
  | 'no-build'
  | 'help';

/**
 * Seconds of a round where no flag says them. Of a closed loop, what the faster server takes at the pace of its trial,
 * so that a round takes ten and more: four rounds behind trials of a third of one were up to 15 % faster (200,709
 * events/s after 174,888). Single events scatter more: rounds of as many took 8.5 to 27.8 s in one run (decision 29).
 */
export const ROUND_S = { batch: 13, single: 16, open: 10 };

/** Seconds at its rate that a soak is warmed up, and an open loop. */
export const WARMUP_S = { open: 4, soak: 10 };

/** Events that warm a closed loop up where no pace is known, as in a trial: seconds of the slower server on two cores. */
export const UNSIZED_WARM_UP = { batch: 300_000, single: 60_000 };

/** What `--quick` means where no flag says otherwise. */
export const QUICK = { events: 200_000, warmup: 20_000, rounds: 3, starts: 3, soakMinutes: 1 };

export interface Flag {
  /** What stands for the value in the help; a flag without takes none. */
  readonly value?: string;
  readonly default?: number | string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly choices?: readonly string[];
  readonly repeatable?: boolean;
  readonly help: string;
}

const COUNT = { value: 'N', minimum: 1, maximum: 100_000_000 };

export const MODES = ['startup', 'batch', 'single', 'open', 'soak', 'all'] as const;

/** What `--mode=open` asks for: shares of each server's own throughput, and the same rates for both. */
export const DEFAULT_RATES = '25%,50%,75%,90%,2000,10000,30000';

export const FLAGS: Readonly<Record<FlagName, Flag>> = {
  mode: {
    value: 'MODE',
    default: 'batch',
    choices: MODES,
    help: 'what is measured; all: the full comparison',
  },
  quick: {
    help:
      `a minute's feedback, never the committed result: ${QUICK.rounds} rounds of ${QUICK.events} events, ` +
      `${QUICK.starts} starts, ${QUICK.warmup} events to warm up, a soak of ${QUICK.soakMinutes} min`,
  },
  only: { value: 'NAME', choices: ['rs', 'ts'], help: 'measure one server alone' },
  pick: {
    value: 'NAMES',
    help: 'only these measurements of the mode, by their names in the result, with commas',
  },
  events: {
    ...COUNT,
    help: 'events measured in each round, instead of a length',
  },
  duration: {
    value: 'S',
    minimum: 1,
    maximum: 3600,
    help:
      'length of a round; of a closed loop, the events that the faster server takes so long for ' +
      `[${ROUND_S.batch}, single events ${ROUND_S.single}, open loop ${ROUND_S.open}]`,
  },
  driver: {
    value: 'NAME',
    default: 'autocannon',
    choices: ['autocannon', 'wrk'],
    help: 'what sends in a closed loop; wrk costs least, has to be installed, and tells no latencies',
  },
  concurrency: { value: 'N', default: 40, minimum: 1, maximum: 1000, help: 'connections' },
  'batch-size': { value: 'N', default: 50, minimum: 1, maximum: 10_000, help: 'events in a request' },
  rate: {
    value: 'RATES',
    help: `open loop and soak: events/s, or shares of each server's own throughput [open ${DEFAULT_RATES}; soak 10000]`,
  },
  'stream-clients': {
    value: 'N',
    minimum: 0,
    maximum: 1000,
    help: 'clients of the live stream beside the load, each checked against the file [soak 10, else 0]',
  },
  'soak-minutes': { value: 'N', default: 10, minimum: 1, maximum: 1440, help: 'length of a soak per server' },
  warmup: {
    value: 'N',
    minimum: 0,
    maximum: 100_000_000,
    help:
      `events to warm up [closed loop 5 s; with --events ${UNSIZED_WARM_UP.batch}, of single events ` +
      `${UNSIZED_WARM_UP.single}; at a rate ${WARMUP_S.open} s, soak ${WARMUP_S.soak} s]`,
  },
  rounds: {
    value: 'N',
    default: 5,
    minimum: 1,
    maximum: 100,
    help: 'rounds per server, in the order A B B A',
  },
  starts: { value: 'N', default: 10, minimum: 1, maximum: 1000, help: 'starts measured per server' },
  corpus: { value: 'FILE', help: 'real events instead of generated ones: NDJSON, gzip or not' },
  payload: {
    value: 'KIND',
    default: 'mixed',
    choices: ['mixed', 'small'],
    help: 'which events are generated: of the sizes that agents send, or all of 426 bytes in 500 sessions',
  },
  ids: {
    value: 'KIND',
    default: 'random',
    choices: ['random', 'time'],
    help: 'event ids: random, or growing with time',
  },
  seed: {
    value: 'N',
    default: 1,
    minimum: 0,
    maximum: 4_294_967_295,
    help: 'what events and ids are made from',
  },
  preload: {
    value: 'N',
    default: 0,
    minimum: 0,
    maximum: 100_000_000,
    help: 'events the database already holds',
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
  threshold: {
    value: 'COND',
    repeatable: true,
    help: "exit 3 unless it holds, as 'rs.p99_ms<50' or 'ratio.throughput_events_per_s>1'; may be repeated",
  },
  out: { value: 'FILE', help: 'where the result is written' },
  json: { help: 'print the result as JSON on stdout instead of the table' },
  md: { value: 'FILE', help: 'write the comparison as Markdown for a pull request too' },
  html: { value: 'FILE', help: 'write the report as one HTML file too' },
  'no-build': { help: 'measure what is built, although its sources may be newer' },
  help: { help: 'print this text and exit' },
};

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
    'bench:full is bench:compare --mode=all, bench:quick is bench:compare --quick.',
    '',
    ...lines,
    '',
    'Exit: 0 compared, 1 a server or the comparison failed, 2 a flag is wrong, 3 a threshold is not met,',
    '130 interrupted.',
    '',
  ].join('\n');
}
