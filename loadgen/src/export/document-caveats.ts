/**
 * DATA: what the ancestor's report left open or got wrong, and the figure that closes each.
 *
 * What must stay true: a caveat whose figure is not in the result says so; none is closed by words alone.
 */
import { measurementNamed, type Result } from '../result.ts';
import { commitOf } from './conditions.ts';
import { evidence } from './evidence.ts';
import { group } from './format.ts';
import { markdownText } from './markdown-table.ts';
import { serversIn } from './names.ts';

interface Caveat {
  readonly before: string;
  /** `null` when the run does not have what it takes. */
  closed(result: Result): string | null;
}

const CAVEATS: readonly Caveat[] = [
  { before: 'One run, so no spread and no interval.', closed: evidence.rounds },
  {
    before: 'Rust’s unit tests used a database in memory, the benchmark a file.',
    closed: evidence.files,
  },
  { before: 'Nobody read the stream while events came in.', closed: evidence.stream },
  { before: 'No soak.', closed: evidence.soak },
  {
    before: 'Pooled connections or sharded writes were said to make Rust faster.',
    closed: (result) =>
      evidence.limit(
        result,
        'One writer with group commit; another way of writing could touch what is missing from the bulk limit, not more.',
      ),
  },
  {
    before: 'Throughput and p50 were explained by a mutex around the connection.',
    closed: (result) =>
      evidence.limit(
        result,
        'No lock is blamed: what each database takes without HTTP stands beside what the server takes.',
      ),
  },
  {
    before: 'SQLite’s single writer was said to be the bottleneck, not HTTP.',
    closed: (result) => evidence.limit(result, 'Measured instead of said.'),
  },
  {
    before: 'Tail latency was explained by pauses of the garbage collector.',
    closed: evidence.runtimeLag,
  },
  {
    before: 'p99 came from a closed loop, in which a stall delays requests instead of counting against them.',
    closed: evidence.openLatency,
  },
  { before: 'Start of Rust included cargo.', closed: evidence.start },
  { before: 'The size of node_modules stood for what is deployed.', closed: evidence.size },
  { before: '20,000 events, half a second of work.', closed: evidence.events },
  { before: '500 events to warm up, whether or not that was enough.', closed: evidence.warmUp },
  { before: '18 of 18 parity tests, and no look at what was stored.', closed: evidence.audit },
  {
    before: 'The two servers promised different durability, which the report did not see.',
    closed: (result) => evidence.promises(result, ['durability', 'synchronous', 'journal_mode']),
  },
  {
    before: 'The two servers ran on different databases, which the report did not see.',
    closed: evidence.database,
  },
];

export function caveatLines(result: Result): string[] {
  return CAVEATS.map(({ before, closed }) => {
    const answer = closed(result);
    return `**${before}** ${markdownText(answer ?? 'Not measured in this run.')}`;
  });
}

/** What the numbers do not say, however well they were measured. */
export function remainingCaveats(result: Result): string[] {
  const { environment, placement } = result;
  const soak = measurementNamed(result, 'soak')?.workload?.duration_s ?? null;
  return [
    `One machine with ${environment.cpu_cores} cores; another has other ratios.`,
    markdownText(`${placement.reason} Where cores are shared, CPU per event is the sounder figure.`),
    'Latencies of a closed loop are those of a full queue; only the open loop says what a client sees.',
    'What a server puts off until after its last answer is in no CPU time; it shows when it stops and in its write-ahead log.',
    `The files are young: a database of ${mostStored(result)} rows says little about one of a hundred million.`,
    soak === null
      ? 'Without a soak nothing is said about leaks.'
      : `A soak of ${Math.round(soak / 60)} min sees fast leaks, not slow ones.`,
    ...(soak === null
      ? []
      : [
          'A soak has one round a server: its figures have no interval and no noise floor, and nothing is said of their ratios.',
        ]),
    ...(result.measurements.some(({ rounds }) => rounds.some(({ stream }) => stream !== null))
      ? ['Stream lag is taken from a clock of whole milliseconds.']
      : []),
    'Sizes are those of the servers; what a desktop shell adds around them was not measured.',
    ...(serversIn(result).length < 2 ? ['One server was measured alone; nothing is compared.'] : []),
    markdownText(`Figures hold for commit ${commitOf(result)}.`),
  ];
}

function mostStored(result: Result): string {
  const rounds = result.measurements.flatMap((measurement) => measurement.rounds);
  return group(rounds.reduce((most, { audit }) => Math.max(most, audit.stored_events), 0));
}
