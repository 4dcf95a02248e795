/**
 * DATA: the goals of the codecs suite, the figures that procwire reported, and the rows of a result that hold the
 * values.
 *
 * Invariant: a goal is compared with a median, and a ratio uses slices of the same pairs.
 */

import { extreme, type Goal, over, type Prior, value } from './goal.ts';
import type { Parameters } from './result.ts';

const both = (goal: number | null): Goal['goal'] => ({ rs: goal, ts: goal });

const raw = (size: number) => value('raw', 'mb_per_s', { size, path: 'sink' });
const jsonAt1Mb = value('raw', 'mb_per_s', { size: 1_000_000, payload: 'real', format: 'json' });
const readCpu = (format: string) =>
  value('read', 'server_cpu_us_per_event', { payload: 'real', rows: 1000, format, path: 'read' });
const ingestCpu = (format: string, batch: number) =>
  value('ingest', 'server_cpu_us_per_event', { payload: 'real', batch, format, path: 'ingest' });
const share = (parameters: Parameters) =>
  over(value('bytes', 'bytes', parameters), value('bytes', 'json_bytes', parameters));
const NOT_JSON = ['ndjson', 'msgpack', 'protobuf'];

const RAW_IS_JSON = 'JSON over a named pipe; the comment in its source says so';
const LETTERS: Prior = {
  figure: '0.99',
  was: 'one run of the letter x, which no format makes shorter; almost surely JSON (inferred)',
};
const INFERRED: Prior = {
  figure: '1.0',
  was: 'almost surely JSON in both rows (inferred): the parent sets no serialization',
};

interface Sized {
  readonly format: string;
  readonly rows: number;
  readonly goal: number;
  /** Obstacles for an answer and for a body. */
  readonly obstacles: readonly [answer: string, body: string | null];
}

const SIZED: readonly Sized[] = [
  {
    format: 'protobuf',
    rows: 1000,
    goal: 0.42,
    obstacles: [
      'the two ids of an event are UUIDs as text',
      'the two ids of an event are UUIDs as text, 76 bytes, and cost is a double; FMT-06 has these types',
    ],
  },
  {
    format: 'msgpack',
    rows: 1000,
    goal: 0.83,
    obstacles: [
      'FMT-08 sends the name of each of the 25 members with each row, null ones too, in the shortest form there is',
      'each event carries the names of its members, and a short number is as long as in JSON',
    ],
  },
  {
    format: 'arrow',
    rows: 10_000,
    goal: 0.25,
    obstacles: [
      'the column types of FMT-09 alone take 147.5 bytes of such a row, which is 0.25; each batch adds the ids of its sessions',
      null,
    ],
  },
];

function sizeGoals({ format, rows, goal, obstacles: [answer, body] }: Sized): Goal[] {
  const of = (what: string, parameters: Parameters, obstacle: string): Goal[] => {
    const common = { unit: 'of JSON', prior: LETTERS, better: 'lower' } as const;
    const title = (events: string) => `${format}: bytes of ${what}, ${events} events`;
    return [
      {
        ...common,
        title: title('generated'),
        goal: both(goal),
        obstacle,
        of: share({ payload: 'small bare', ...parameters }),
      },
      { ...common, title: title('real'), goal: both(null), of: share({ payload: 'real', ...parameters }) },
    ];
  };
  return [
    ...of('an answer', { what: 'answer', rows, format }, answer),
    ...(body === null ? [] : of('a body', { what: 'body', format }, body)),
  ];
}

export const GOALS: readonly Goal[] = [
  {
    title: 'true raw at 1 MB',
    unit: 'MB/s',
    prior: { figure: '31 MB/s', was: RAW_IS_JSON },
    better: 'higher',
    goal: both(1000),
    obstacle: 'the machine; an AMD EPYC had 4,375 MB/s in Rust and 2,019 MB/s in TypeScript (2026-11-26)',
    of: raw(1_000_000),
  },
  {
    title: 'true raw at 10 MB',
    unit: 'MB/s',
    prior: { figure: '9.2 MB/s', was: RAW_IS_JSON },
    better: 'higher',
    goal: both(1000),
    of: raw(10_000_000),
  },
  {
    title: 'raw against JSON at 1 MB',
    unit: 'times',
    prior: { figure: '0.18', was: 'two rows of JSON over two transports' },
    better: 'higher',
    goal: both(5),
    of: over(raw(1_000_000), jsonAt1Mb),
  },
  {
    title: 'GET of 1,000 events: CPU of JSON over the best format',
    unit: 'times',
    prior: INFERRED,
    better: 'higher',
    goal: { rs: 1.5, ts: 1.3 },
    of: extreme(
      Math.max,
      [...NOT_JSON, 'arrow'].map((format) => over(readCpu('json'), readCpu(format))),
    ),
  },
  {
    title: 'ingest CPU per event of the dearest format over JSON',
    unit: 'times',
    prior: null,
    better: 'lower',
    goal: both(1.3),
    obstacle: 'JSON needs no copy of its texts (decision 53)',
    of: extreme(
      Math.max,
      [50, 1000].flatMap((batch) =>
        NOT_JSON.map((format) => over(ingestCpu(format, batch), ingestCpu('json', batch))),
      ),
    ),
  },
  ...SIZED.flatMap(sizeGoals),
  {
    title: 'small events on one pipe, stored, the best format',
    unit: 'events/s',
    prior: { figure: '117,684 messages/s', was: 'one shot of 1,000, one process, nothing stored' },
    better: 'higher',
    goal: { rs: 150_000, ts: 90_000 },
    obstacle: 'the machine; an AMD EPYC had 573,900 in Rust and 153,300 in TypeScript (2026-11-26)',
    of: extreme(
      Math.max,
      ['ndjson', 'protobuf'].map((format) => value('pipe', 'events_per_s', { format })),
    ),
  },
  {
    title: '1,000 small messages at once, one request each, stored',
    unit: 'events/s',
    prior: { figure: '117,684 messages/s', was: 'one shot, one process, nothing stored' },
    better: 'higher',
    goal: both(null),
    of: value('messages', 'events_per_s', { format: 'json', transport: 'tcp', at_once: 1000 }),
  },
  {
    title: 'Arrow, 100,000 rows: encode, decode and sum, real bytes',
    unit: 'MB/s',
    prior: { figure: '4,409 MB/s', was: 'a lazy decode without a read, and an estimate of 36 bytes a row' },
    better: 'higher',
    goal: { rs: 1000, ts: null },
    of: value('arrow', 'mb_per_s', { schema: 'events', rows: 100_000, step: 'all' }),
  },
];
