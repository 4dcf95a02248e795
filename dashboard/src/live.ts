/**
 * What the page asks its server for, and when: one stream that says what changed, and pulls of what is shown, each at
 * its own pace. While nobody can see the page it asks for nothing, and holds no connection.
 *
 * First comes what is seen first; a browser has six connections to a server (HTTP/1.1), of which the stream is one.
 */
import { batch, effect, untracked } from '@preact/signals';
import { type Invalidation, type SyncOptions, Topics } from '@twin-ingest/client';
import type { Cost, EventPage, Health, Session, SessionPage, Stats, Tool } from './api.ts';
import { connection, setConnection } from './connection.ts';
import { drawn } from './drawn.ts';
import { PAGE_ROWS, refuseRows, takeRows } from './feed.ts';
import {
  cost,
  health,
  isHealthKnown,
  RATE_SECONDS,
  rate,
  stats,
  takeSessions,
  takeWaiting,
  tools,
} from './figures.ts';
import { filterQuery } from './filters.ts';
import { keepInStep } from './pulls.ts';
import { getJson, WrongRequest } from './request.ts';
import { SCOPE_ROWS, scopeId, takeScope } from './scope.ts';
import { now_ms, onTick, serverNow, setServerDate, startClock, stopClock } from './time.ts';
import { pullPrompts, unasked } from './titles.ts';
import { type Latest, untagged } from './untagged.ts';
import { filters } from './view.ts';

const MIN_INTERVAL_MS = 250;
/** The least time between two pulls of each; the first after a pause is made at once. */
const PACE_MS = { events: 1000, sessions: 2000, stats: 2000, scope: 2000, breakdown: 5000 };
const PROMPTS_MS = 5000;
const HEALTH_MS = 5000;
/** What time alone changes is in no revision, so that it is asked for now and then. */
const STATUS_MS = 30_000;
export const SESSIONS = 100;
/** Rows that the rate of the last minutes is counted from after a reload. */
const RATE_ROWS = 1000;

/** Begins, and stops and goes on as the page is hidden and shown. */
export function followServer(): void {
  let end: (() => void) | undefined;
  const turn = () => {
    if (document.hidden) {
      end?.();
      end = undefined;
    } else end ??= follow();
  };
  addEventListener('visibilitychange', turn);
  onTick(() => {
    if (connection.peek().state !== 'live') rate.lose();
    rate.tick(serverNow());
  });
  turn();
}

function follow(): () => void {
  const end = new AbortController();
  const { signal } = end;
  const topics = new Topics({
    topics: ['events', 'sessions', 'stats'],
    min_interval_ms: MIN_INTERVAL_MS,
    onState: setConnection,
  });
  const latest = listen(topics, signal);
  const keep: Keep = (pace_ms, options) => keepInStep(pace_ms, options, signal);
  const stopFeed = followFeed(topics, latest, keep);
  let isAsked = false;
  keep<SessionPage>(PACE_MS.sessions, {
    ...topics.of('sessions', { limit: SESSIONS }),
    apply: ({ data }) => {
      takeSessions(data);
      // Once; after that by the clock.
      if (data.next !== null && !isAsked) void pullWaiting(signal).catch(() => undefined);
      isAsked = true;
    },
  });
  keep<Stats>(PACE_MS.stats, {
    ...topics.of('stats'),
    apply: ({ data }) => {
      stats.value = data;
    },
  });
  keep<[readonly Tool[], Cost]>(PACE_MS.breakdown, {
    ...untagged(topics.of('stats'), latest, async () => {
      // Below the first rows, and so behind them.
      await drawn();
      const both = [
        getJson<{ tools: readonly Tool[] }>('/api/stats/tools', signal).then((answer) => answer.tools),
        getJson<Cost>('/api/stats/cost', signal),
      ] as const;
      return { data: await Promise.all(both) };
    }),
    apply: ({ data }) => {
      [tools.value, cost.value] = data;
    },
  });
  const stopScope = followScope(topics, latest, keep, signal);
  const stopPrompts = followPrompts(signal);
  const stopHealth = followHealth(signal);
  fillRate(latest, signal).catch(() => undefined);
  repeat(STATUS_MS, signal, pullStatus, false);
  startClock();
  return () => {
    stopClock();
    stopFeed();
    stopScope();
    stopPrompts();
    stopHealth();
    end.abort();
  };
}

/** Returns how to stop it. */
type Keep = <T>(pace_ms: number, options: Omit<SyncOptions<T>, 'pace' | 'signal' | 'onError'>) => () => void;

/** One pull for the filters of now, another when they change; filters that the server refuses are asked for once. */
function followFeed(topics: Topics, latest: Latest, keep: Keep): () => void {
  return effect(() => {
    const chosen = filters.value;
    const query = filterQuery(chosen);
    const refused = (error: unknown) => {
      if (error instanceof WrongRequest && chosen === filters.peek()) {
        refuseRows(error.problem);
        stop();
      }
      throw error;
    };
    const stop = untracked(() =>
      keep<EventPage>(PACE_MS.events, {
        ...(query.size === 0
          ? topics.of('events', { limit: PAGE_ROWS, deltas: true })
          : untagged(topics.of('events'), latest, (known, signal) =>
              pullFiltered(query, known, signal).catch(refused),
            )),
        apply: ({ data: { events, next }, ...of }, isReset) => takeRows(events, of, isReset, next !== null),
      }),
    );
    return stop;
  });
}

/** What came since what is known, or the newest page where that is too much. */
async function pullFiltered(
  query: URLSearchParams,
  known: { readonly revision: string } | null,
  signal: AbortSignal,
): Promise<{ data: EventPage; reset?: boolean }> {
  const page = `/api/events?${query}&limit=${PAGE_ROWS}`;
  if (known !== null) {
    const { events, next } = await getJson<EventPage>(`${page}&after=${known.revision}`, signal);
    if (next === null) return { data: { events: events.toReversed(), next } };
  }
  return { data: await getJson<EventPage>(page, signal), reset: true };
}

/** The chosen session and its rows: the newest ones, then what came since. */
function followScope(topics: Topics, latest: Latest, keep: Keep, signal: AbortSignal): () => void {
  return effect(() => {
    const id = scopeId.value;
    if (id === null) return;
    const page = `/api/events?session_id=${encodeURIComponent(id)}&limit=${SCOPE_ROWS}`;
    const pull = async (known: { readonly revision: string } | null) => {
      await drawn();
      const [{ session }, came] = await Promise.all([
        getJson<{ session: Session }>(`/api/sessions/${encodeURIComponent(id)}?limit=1`, signal),
        getJson<EventPage>(known === null ? page : `${page}&after=${known.revision}`, signal),
      ]);
      const isNew = known === null || came.next !== null;
      const { events, next } = known !== null && isNew ? await getJson<EventPage>(page, signal) : came;
      // Above a known id the oldest comes first.
      const rows = isNew ? events : events.toReversed();
      return { data: { session, rows, isWhole: next === null }, reset: isNew };
    };
    return untracked(() =>
      keep<{ session: Session; rows: EventPage['events']; isWhole: boolean }>(PACE_MS.scope, {
        ...untagged(topics.of('events'), latest, pull),
        apply: ({ data }, isReset) => takeScope(data.session, data.rows, isReset, data.isWhole),
      }),
    );
  });
}

/** First prompts of sessions that are listed: at once for one that is new, and again while it has none. */
function followPrompts(signal: AbortSignal): () => void {
  const ask = repeat(PROMPTS_MS, signal, pullPrompts, false);
  return effect(() => {
    if (unasked.value) void drawn().then(ask);
  });
}

/** What was heard last of each topic, kept for whoever asks later; the rate of events comes of it too. */
function listen(topics: Topics, signal: AbortSignal): Latest {
  const heard = new Map<string, Invalidation>();
  const waiting = new Set<() => void>();
  void topics
    .of('events')
    .subscribe((frame) => {
      const invalidation = frame as Invalidation;
      heard.set(invalidation.topic, invalidation);
      if (invalidation.topic === 'events') rate.hear(serverNow(), Number(invalidation.revision));
      for (const wake of waiting) wake();
      waiting.clear();
    }, signal)
    .then((unsubscribe) => signal.addEventListener('abort', unsubscribe, { once: true }));
  return async (topic, until) => {
    for (;;) {
      const found = heard.get(topic);
      if (found !== undefined) return found;
      until.throwIfAborted();
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
        until.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  };
}

/** Reads once what came in the minutes before the page listened, so that a reload does not empty the plot. */
async function fillRate(latest: Latest, signal: AbortSignal): Promise<void> {
  await drawn();
  await latest('events', signal);
  const since_ms = serverNow() - RATE_SECONDS * 1000;
  const since = new Date(since_ms).toISOString();
  const { events, next } = await getJson<EventPage>(`/api/events?since=${since}&limit=${RATE_ROWS}`, signal);
  const oldest = events.at(-1);
  rate.fill(events, next === null || oldest === undefined ? since_ms : Date.parse(oldest.created_at));
  // The plot is drawn with the clock.
  now_ms.value = serverNow();
}

/** What was told last stays there to be seen, but holds only until an answer fails or the connection is lost. */
function followHealth(signal: AbortSignal): () => void {
  const ask = repeat(HEALTH_MS, signal, pullHealth, true);
  const stopListening = effect(() => {
    const { state } = connection.value;
    if (state === 'live') {
      if (!isHealthKnown.peek()) void ask();
    } else if (state !== 'connecting') isHealthKnown.value = false;
  });
  return () => {
    stopListening();
    isHealthKnown.value = false;
  };
}

async function pullHealth(signal: AbortSignal): Promise<void> {
  try {
    // A server that hangs is not to keep others from being asked.
    const until = AbortSignal.any([signal, AbortSignal.timeout(HEALTH_MS)]);
    const response = await fetch('/api/health', { cache: 'no-store', signal: until });
    setServerDate(response.headers.get('date'));
    // 503 says what is wrong in the same words, unless it is that of a server that ends, or somebody else's.
    const answer = (await response.json()) as Health;
    if (typeof answer.status !== 'string') throw new TypeError('no health');
    batch(() => {
      health.value = answer;
      isHealthKnown.value = true;
    });
  } catch {
    if (!signal.aborted) isHealthKnown.value = false;
  }
}

async function pullStatus(signal: AbortSignal): Promise<void> {
  const [sessionPage, newStats] = await Promise.all([
    getJson<SessionPage>(`/api/sessions?limit=${SESSIONS}`, signal),
    getJson<Stats>('/api/stats', signal),
  ]);
  takeSessions(sessionPage);
  stats.value = newStats;
  if (sessionPage.next !== null) await pullWaiting(signal);
}

/** A session that waits for long is none of the newest. A server that does not know this status refuses. */
async function pullWaiting(signal: AbortSignal): Promise<void> {
  takeWaiting(await getJson<SessionPage>(`/api/sessions?status=waiting&limit=${SESSIONS}`, signal));
}

/** Once after the other, while it lasts; what fails is asked for again at its time. Returns how to ask before that. */
function repeat(
  every_ms: number,
  signal: AbortSignal,
  pull: (signal: AbortSignal) => Promise<void>,
  isAtOnce: boolean,
): () => Promise<void> {
  const timer = setInterval(once, every_ms);
  let isPulling = false;
  async function once(): Promise<void> {
    if (isPulling) return;
    isPulling = true;
    await pull(signal).catch(() => undefined);
    isPulling = false;
  }
  if (isAtOnce) void once();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return once;
}
