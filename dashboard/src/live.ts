/**
 * Schedules the dashboard's requests: one stream that announces changes, and fetches of the visible data, each at its
 * own pace. A hidden page sends no requests and holds no connection, unless it notifies its user.
 *
 * The most visible data comes first; a browser has six connections to a server (HTTP/1.1), and the stream takes one.
 */
import { batch, effect, untracked } from '@preact/signals';
import { type Invalidation, type Topic, Topics } from '@twin-ingest/client';
import type { EventPage, Health, Retention, Session } from './api.ts';
import { connection, setConnection } from './connection.ts';
import { drawn } from './drawn.ts';
import { PAGE_ROWS, refuseRows, stopLoading, takeRows } from './feed.ts';
import { health, isHealthKnown, RATE_SECONDS, rate, retention, stats, takeSessions } from './figures.ts';
import {
  followFigures,
  followSpending,
  type Keep,
  pullSessions,
  pullStats,
  pullWaiting,
} from './live-figures.ts';
import { withLiveRows } from './live-rows.ts';
import { wholePage } from './long-search.ts';
import { choice } from './notify/choice.ts';
import { keepInStep } from './pulls.ts';
import { getJson, WrongRequest } from './request.ts';
import { sessionPage } from './route.ts';
import { SCOPE_ROWS, scopeId, takeScope } from './scope.ts';
import { type Pulled, pullSession } from './session/follow.ts';
import { takePage } from './session/state.ts';
import { now_ms, onTick, serverNow, setServerDate, startClock, stopClock } from './time.ts';
import { pullPaths, pullPrompts, unasked } from './titles.ts';
import { type Latest, untagged } from './untagged.ts';
import { selection } from './view.ts';

const MIN_INTERVAL_MS = 250;
/** Least time between two fetches of each; the first one after a pause is immediate. */
const PACE_MS = { events: 1000, scope: 2000 };
/** Most pages of a search for new rows; after more, the newest page is less work. */
const DELTA_PAGES = 8;
const PROMPTS_MS = 5000;
const HEALTH_MS = 5000;
/** Changes by time alone have no revision, so they are fetched at this interval. */
const STATUS_MS = 30_000;
/** Number of rows from which the recent rate is computed after a reload. */
const RATE_ROWS = 1000;

/** Starts the requests, and pauses them while the page is hidden and has no notifications to show. */
export function followServer(): void {
  let end: (() => void) | undefined;
  const turn = () => {
    if (document.hidden && choice.peek() === 'off') {
      end?.();
      end = undefined;
    } else end ??= follow();
  };
  addEventListener('visibilitychange', turn);
  onTick(() => {
    if (connection.peek().state !== 'live') rate.lose();
    rate.tick(serverNow());
  });
  effect(() => {
    void choice.value;
    untracked(turn);
  });
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
  const stopFigures = followFigures(topics, latest, keep, signal);
  const stopSpending = followSpending(topics, latest, keep, signal);
  const stopScope = followScope(topics, latest, keep, signal);
  const stopPage = followSession(topics, latest, keep);
  const stopPrompts = followPrompts(signal);
  const stopHealth = followHealth(signal);
  fillRate(latest, signal).catch(() => undefined);
  repeat(STATUS_MS, signal, pullStatus, false);
  startClock();
  return () => {
    stopClock();
    stopFeed();
    stopFigures();
    stopSpending();
    stopScope();
    stopPage();
    stopPrompts();
    stopHealth();
    end.abort();
  };
}

/**
 * Fetches the rows of the current filters, and again when the filters change. It requests filters that the server
 * refuses only once.
 */
function followFeed(topics: Topics, latest: Latest, keep: Keep): () => void {
  return effect(() => {
    const chosen = selection.value;
    const query = new URLSearchParams(chosen);
    const refused = (error: unknown) => {
      if (error instanceof WrongRequest && chosen === selection.peek()) {
        refuseRows(error.problem);
        stop();
      }
      throw error;
    };
    const stop = untracked(() =>
      keep<EventPage>(PACE_MS.events, {
        ...(query.size === 0
          ? liveRows(topics)
          : untagged(topics.of('events'), latest, (known, signal) =>
              pullFiltered(query, known, signal).catch(refused),
            )),
        apply: ({ data: { events, next }, ...of }, isReset) => takeRows(events, of, isReset, next),
      }),
    );
    return () => {
      stopLoading();
      stop();
    };
  });
}

/** The newest rows of everything, with live ones also while an import goes on. */
function liveRows(topics: Topics): Topic<EventPage> {
  const newest = topics.of('events', { limit: PAGE_ROWS, deltas: true });
  const fetch: typeof newest.fetch = async (known, signal) => {
    const snapshot = await newest.fetch(known, signal);
    return snapshot && (await withLiveRows(snapshot, known, signal));
  };
  return { ...newest, fetch };
}

/**
 * Fetches the changes since the known revision, or the newest page when there are too many. The feed continues a page
 * that stops early.
 */
async function pullFiltered(
  query: URLSearchParams,
  known: { readonly revision: string } | null,
  signal: AbortSignal,
): Promise<{ data: EventPage; reset?: boolean }> {
  if (known !== null) {
    const newer = new URLSearchParams(query);
    newer.set('after', known.revision);
    let pages = 1;
    const { events, ...end } = await wholePage(
      'events',
      newer,
      PAGE_ROWS,
      signal,
      () => ++pages <= DELTA_PAGES,
    );
    if (end.next === null) return { data: { events: events.toReversed(), ...end } };
  }
  const data = await getJson<EventPage>(`/api/events?${query}&limit=${PAGE_ROWS}`, signal);
  return { data, reset: true };
}

/** Fetches the selected session and its rows: first the newest rows, then the changes. */
function followScope(topics: Topics, latest: Latest, keep: Keep, signal: AbortSignal): () => void {
  return effect(() => {
    const id = scopeId.value;
    if (id === null) return;
    const query = { session_id: id };
    const rowsOf = (more: object) =>
      wholePage('events', new URLSearchParams({ ...query, ...more }), SCOPE_ROWS, signal);
    const pull = async (known: { readonly revision: string } | null) => {
      await drawn();
      const [{ session }, came] = await Promise.all([
        getJson<{ session: Session }>(`/api/sessions/${encodeURIComponent(id)}?limit=1`, signal),
        rowsOf(known === null ? {} : { after: known.revision }),
      ]);
      const isNew = known === null || came.next !== null;
      const { events, next } = known !== null && isNew ? await rowsOf({}) : came;
      // Above a known id the oldest row comes first.
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

/** Fetches the session whose page is shown. */
function followSession(topics: Topics, latest: Latest, keep: Keep): () => void {
  return effect(() => {
    const id = sessionPage.value;
    if (id === null) return;
    return untracked(() =>
      keep<Pulled | null>(PACE_MS.scope, {
        ...untagged(topics.of('events'), latest, (known, signal) => pullSession(id, known, signal)),
        apply: ({ data }, isReset) => {
          if (data !== null) takePage({ ...data, isLoading: false }, isReset);
        },
      }),
    );
  });
}

/** Fetches the first prompts of listed sessions: at once for a new session, and again while it has none. */
function followPrompts(signal: AbortSignal): () => void {
  const ask = repeat(PROMPTS_MS, signal, (until) => pullPrompts(until).then(() => pullPaths(until)), false);
  return effect(() => {
    if (unasked.value) void drawn().then(ask);
  });
}

/** Keeps the last announced revision of each topic for later callers; also feeds the rate of events. */
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

/** Fetches the events of the minutes before the page was opened, so that a reload does not empty the plot. */
async function fillRate(latest: Latest, signal: AbortSignal): Promise<void> {
  await drawn();
  await latest('events', signal);
  const since_ms = serverNow() - RATE_SECONDS * 1000;
  const since = new Date(since_ms).toISOString();
  const { events, next } = await getJson<EventPage>(`/api/events?since=${since}&limit=${RATE_ROWS}`, signal);
  const oldest = events.at(-1);
  rate.fill(events, next === null || oldest === undefined ? since_ms : Date.parse(oldest.time));
  // The clock redraws the plot.
  now_ms.value = serverNow();
}

/**
 * Fetches the health at an interval. The last answer stays visible, but is marked as unknown once a request fails or
 * the connection is lost.
 */
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
    // An unresponsive server must not block the other requests.
    const until = AbortSignal.any([signal, AbortSignal.timeout(HEALTH_MS)]);
    const response = await fetch('/api/health', { cache: 'no-store', signal: until });
    setServerDate(response.headers.get('date'));
    // A 503 has the same body, unless it comes from a draining server or a proxy.
    const answer = (await response.json()) as Health;
    if (typeof answer.status !== 'string') throw new TypeError('no health');
    const bounds = await getJson<Retention>('/api/retention', until).catch(() => retention.peek());
    batch(() => {
      retention.value = bounds;
      health.value = answer;
      isHealthKnown.value = true;
    });
  } catch {
    if (!signal.aborted) isHealthKnown.value = false;
  }
}

async function pullStatus(signal: AbortSignal): Promise<void> {
  const [sessionPage, newStats] = await Promise.all([pullSessions(signal), pullStats(signal)]);
  takeSessions(sessionPage);
  stats.value = newStats;
  if (sessionPage.next !== null) await pullWaiting(signal);
}

/**
 * Repeats a request at an interval, one at a time. After a failure the next one follows at the usual time. Returns a
 * function that triggers it earlier.
 */
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
