/**
 * Fetches sessions, statistics, errors and costs: those of the time range, again when it changes, and the cost of today
 * and this week.
 */
import { effect, untracked } from '@preact/signals';
import type { EventTimePage, Series, SyncOptions, Topics } from '@twin-ingest/client';
import type { Cost, SessionPage, Stats, Tool } from './api.ts';
import { drawn } from './drawn.ts';
import {
  cost,
  dayZone,
  durationEvents,
  durations,
  events,
  failures,
  stats,
  takeSessions,
  takeWaiting,
  tools,
} from './figures.ts';
import { hourCounts } from './hourly.ts';
import { wholePage } from './long-search.ts';
import { getJson } from './request.ts';
import { pullSpending, type Spending, spending } from './spending.ts';
import { serverNow } from './time.ts';
import { hasTwins } from './titles.ts';
import { type Latest, untagged } from './untagged.ts';
import { since, sinceQuery } from './view.ts';

/** Least time between two fetches of each; the first one after a pause is immediate. */
const PACE_MS = { sessions: 2000, stats: 2000, breakdown: 5000, durations: 10_000, spending: 10_000 };
const SESSIONS = 100;
/** Hours of the longest time range. */
const MONTH_HOURS = 744;
/** Number of the newest errors that are listed. */
const FAILURES = 20;

/** Keeps data in sync; returns a function that stops it. */
export type Keep = <T>(
  pace_ms: number,
  options: Omit<SyncOptions<T>, 'pace' | 'signal' | 'onError'>,
) => () => void;

/** Fetches sessions and statistics of the time range, and again when the range changes. */
export function followFigures(topics: Topics, latest: Latest, keep: Keep, signal: AbortSignal): () => void {
  let isAsked = false;
  return effect(() => {
    const from = since.value;
    const stops = untracked(() => [
      keep<SessionPage>(PACE_MS.sessions, {
        ...(from === null
          ? topics.of('sessions', { limit: SESSIONS })
          : untagged(topics.of('sessions'), latest, async () => ({ data: await pullSessions(signal) }))),
        apply: ({ data }) => {
          takeSessions(data);
          // Fetches them once here; after that the clock triggers the fetches.
          if (data.next !== null && !isAsked) void pullWaiting(signal).catch(() => undefined);
          isAsked = true;
        },
      }),
      keep<Stats>(PACE_MS.stats, {
        ...(from === null
          ? topics.of('stats')
          : untagged(topics.of('stats'), latest, async () => ({ data: await pullStats(signal) }))),
        apply: ({ data }) => {
          stats.value = data;
        },
      }),
      keep<[readonly Tool[], Cost, EventTimePage, Series]>(PACE_MS.breakdown, {
        ...untagged(topics.of('stats'), latest, async () => {
          // This comes after the first rows, which are above it.
          await drawn();
          return { data: await pullBreakdown(signal) };
        }),
        apply: ({ data }) => {
          [tools.value, cost.value] = data;
          failures.value = data[2].events;
          events.value = hourCounts(data[3]);
        },
      }),
      keep<Series & { readonly newest: number }>(PACE_MS.durations, {
        ...untagged(topics.of('stats'), latest, async () => {
          await drawn();
          const { revision } = await latest('stats', signal);
          return { data: { ...(await pullDurations(signal)), newest: Number(revision) } };
        }),
        apply: ({ data: { series, next, newest } }) => {
          durations.value = new Map(
            series.map(({ name, p50_ms = null, p95_ms = null }) => [name ?? '', { p50_ms, p95_ms }]),
          );
          durationEvents.value = next === null ? null : newest + 1 - next;
        },
      }),
    ]);
    return () => {
      for (const stop of stops) stop();
    };
  });
}

/** Fetches the cost of today and this week; again once two folders of one name, or another zone of days, are known. */
export function followSpending(topics: Topics, latest: Latest, keep: Keep, signal: AbortSignal): () => void {
  return effect(() => {
    void hasTwins.value;
    void dayZone.value;
    return untracked(() =>
      keep<Spending>(PACE_MS.spending, {
        ...untagged(topics.of('stats'), latest, async () => {
          await drawn();
          return { data: await pullSpending(new Date(serverNow()), dayZone.peek(), signal) };
        }),
        apply: ({ data }) => {
          spending.value = data;
        },
      }),
    );
  });
}

export function pullSessions(signal: AbortSignal): Promise<SessionPage> {
  const query = new URLSearchParams({ ...(since.peek() !== null && { since: since.peek()! }) });
  return wholePage('sessions', query, SESSIONS, signal);
}

export function pullStats(signal: AbortSignal): Promise<Stats> {
  return getJson<Stats>(`/api/stats${untracked(sinceQuery)}`, signal);
}

function pullBreakdown(signal: AbortSignal): Promise<[readonly Tool[], Cost, EventTimePage, Series]> {
  const from = untracked(sinceQuery);
  const failed = new URLSearchParams({
    status: 'error',
    ...(since.peek() !== null && { since: since.peek()! }),
  });
  return Promise.all([
    getJson<{ tools: readonly Tool[] }>(`/api/stats/tools${from}`, signal).then((answer) => answer.tools),
    getJson<Cost>(`/api/stats/cost${from === '' ? '' : `${from}&limit=${MONTH_HOURS}`}`, signal),
    // One page of the search is enough: it is bounded, and older errors are in the feed.
    getJson<EventTimePage>(`/api/events?${failed}&order_by=time&limit=${FAILURES}`, signal),
    getJson<Series>(`/api/series${from}`, signal),
  ]);
}

/** Fetches the durations of tools: one page of the search, so those of the newest events. */
function pullDurations(signal: AbortSignal): Promise<Series> {
  const query = new URLSearchParams({ bucket: 'day', by: 'tool_name', durations: '1' });
  if (since.peek() !== null) query.set('since', since.peek()!);
  return getJson<Series>(`/api/series?${query}`, signal);
}

/**
 * Fetches the waiting sessions: a session that has waited for long is not among the newest. A server without this
 * status refuses the request.
 */
export async function pullWaiting(signal: AbortSignal): Promise<void> {
  const query = new URLSearchParams({ status: 'waiting' });
  takeWaiting(await wholePage('sessions', query, SESSIONS, signal));
}
