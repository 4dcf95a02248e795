/**
 * Reads beside a load: the smallest answer there is, statistics, and newest events by one filter after the other, at
 * fixed times.
 *
 * The smallest answer takes what the machine takes, so that the rest is the read's own. Each kind is due every 60 ms,
 * a third of it after another, so that the reader's own requests do not wait for each other. What must stay true: a
 * read counts from its sending, and how late it was sent is told; one that failed is in no percentile but in the
 * number of failed ones.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../failure.ts';
import type { BaseFile } from '../preload.ts';
import type { PathSample } from '../reader/process.ts';
import { median } from '../statistics.ts';
import { eventsIn, type LoadContext, runLoad } from './load.ts';
import type { Points } from './point.ts';
import { NEWEST, OLDEST } from './rare.ts';

/** Of what the server took of the same load at most. */
const SHARE = 0.7;
const WARM_UP_S = 2;
const EACH_MS = 60;
const LIVE = '/livez';
const STATS = '/api/stats';

/** What filters ask for that many rows match, but for the rare ones and `error`, which none do. */
function filters(commonSession: string): readonly (readonly [string, string])[] {
  return [
    ['session_id', commonSession],
    ['session_id', NEWEST.session_id],
    ['agent_type', 'claude_code'],
    ['event_type', 'tool_use'],
    ['tool_name', 'Bash'],
    ['tool_name', NEWEST.tool_name],
    ['tool_name', OLDEST.tool_name],
    ['model', 'claude-opus-4-6'],
    ['project', 'app'],
    ['status', 'error'],
    ['source', 'hook'],
  ];
}

export interface Reads {
  readonly full: BaseFile;
  readonly commonSession: string;
  /** Length of the load. */
  readonly seconds: number;
}

/** One round of one server; its throughput on the full database has been measured before. */
export async function measureReads(
  round: number,
  name: TargetName,
  { full, commonSession, seconds }: Reads,
  points: Points,
  context: LoadContext,
): Promise<void> {
  const rate = Math.round(median(points.of('throughput_full_events_per_s', name))! * SHARE);
  const turns = filters(commonSession).flatMap(([field, value]) => [
    [LIVE],
    [STATS],
    [`/api/events?limit=50&${field}=${encodeURIComponent(value)}`],
  ]);
  let paths: readonly PathSample[] = [];
  let late_ms: number | null = null;
  await runLoad(
    round,
    name,
    {
      title: 'reads',
      payload: 'small',
      events: eventsIn(rate, WARM_UP_S + seconds),
      base: full,
      rate_events_per_s: rate,
      warmup_events: 0,
      reading: {
        turns,
        interval_ms: EACH_MS / 3,
        warm_up_s: WARM_UP_S,
        onPaths: (found, late_p99_ms) => {
          paths = found;
          late_ms = late_p99_ms;
        },
      },
    },
    context,
  );
  points.add('reading_rate_events_per_s', name, rate);
  const failed = paths.reduce((sum, path) => sum + path.failed, 0);
  points.add('reads_failed', name, failed);
  if (late_ms !== null) points.add('reads_late_p99_ms', name, late_ms);
  const live = paths.filter(({ path }) => path === LIVE);
  const stats = paths.filter(({ path }) => path === STATS);
  const events = paths.filter(({ path }) => path !== LIVE && path !== STATS);
  for (const share of ['p50_ms', 'p99_ms'] as const) {
    points.add(`live_${share}`, name, largest(live, share));
    points.add(`stats_${share}`, name, largest(stats, share));
    points.add(`events_${share}`, name, largest(events, share));
    for (const one of events) {
      const value = one[share];
      if (value !== null) points.addPath(`events_${share}`, one.path, name, value);
    }
  }
}

function largest(paths: readonly PathSample[], share: 'p50_ms' | 'p99_ms'): number {
  const values = paths.map((path) => path[share]).filter((value) => value !== null);
  if (values.length === 0)
    throw new BenchFailure(
      'reader_failed',
      `no read was answered: ${paths.map(({ path }) => path).join(' ')}`,
    );
  return Math.max(...values);
}
