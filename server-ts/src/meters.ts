/**
 * Counts what the server does, as numbers that a request adds to without a lock (rule MTR-02).
 *
 * `metrics` turns them into text. Invariants: each fact is counted in one place. The numbers of series are bounded by
 * the lists of `metrics.json`, `routes.json` and `vocabulary.json`.
 */

import type { EventOutcome, EventSource, NoticeResult } from './contract/metrics.ts';
import { METRICS, ROUTES } from './contract.ts';
import { ERROR_CODES, type ErrorCode } from './error.ts';

import { Histogram } from './histogram.ts';

/** Number of commits whose time is known. */
const COMMITS = 1024;

const METHODS: readonly string[] = METRICS.values.method;
const STATUSES: readonly number[] = METRICS.values.status;
const { outcome: OUTCOMES, source: SOURCES, result: RESULTS } = METRICS.values;

export type { EventOutcome, EventSource, NoticeResult } from './contract/metrics.ts';

/** The numbers of one server. */
export class Meters {
  private readonly exactRoutes = new Map<string, number>();
  /** Routes with a parameter in their path. */
  private readonly openRoutes: (readonly [RegExp, number])[] = [];
  private readonly requestCounts = new Float64Array(
    (ROUTES.length + 1) * (METHODS.length + 1) * STATUSES.length,
  );
  /** Durations of each route; the last one is that of all other paths. */
  readonly requestDurations = Array.from(
    { length: ROUTES.length + 1 },
    () => new Histogram('ingest_http_request_duration_seconds'),
  );
  private readonly eventCounts = new Float64Array(OUTCOMES.length * SOURCES.length);
  private readonly refusalCounts = new Map<string, number>();
  private readonly noticeCounts = new Map<string, number>(RESULTS.map((result) => [result, 0]));
  /** Valid events of each group. */
  readonly groupEvents = new Histogram('ingest_group_events');
  /** Time of each committed group. */
  readonly commitDurations = new Histogram('ingest_commit_duration_seconds');
  /** Time of each checkpoint. */
  readonly checkpointDurations = new Histogram('ingest_checkpoint_duration_seconds');
  /** Time from a commit to the write of its frames. */
  readonly deliveryLags = new Histogram('ingest_stream_delivery_lag_seconds');
  /** Number of stored events with a client's time that does not count (rule TIM-01). */
  ignoredTimes = 0;
  /** Number of deleted events, and of the transactions that deleted them. */
  deletedEvents = 0;
  deletionSteps = 0;
  /** The newest id of each commit, and its time as `sharedNowMs` returns it. */
  private readonly commitIds = new Float64Array(COMMITS);
  private readonly commitTimes = new Float64Array(COMMITS);
  private commitCount = 0;

  constructor() {
    ROUTES.forEach(({ path }, place) => {
      if (path.includes('{')) this.openRoutes.push([patternOf(path), place]);
      else this.exactRoutes.set(path, place);
    });
    for (const code of ERROR_CODES) this.refusalCounts.set(code, 0);
  }

  /** Returns the place of the route that a path matches; the last place is that of all other paths. */
  routeOf(path: string): number {
    const exact = this.exactRoutes.get(path);
    if (exact !== undefined) return exact;
    return this.openRoutes.find(([pattern]) => pattern.test(path))?.[1] ?? ROUTES.length;
  }

  /** Returns the place of a method; the last place is that of all other methods. */
  static methodOf(method: string): number {
    const place = METHODS.indexOf(method);
    return place < 0 ? METHODS.length : place;
  }

  /** Counts an answered request by the places of its route and its method. */
  countRequest(route: number, method: number, status: number, durationMs: number): void {
    const place = STATUSES.indexOf(status);
    if (place >= 0) {
      const at = (route * (METHODS.length + 1) + method) * STATUSES.length + place;
      this.requestCounts[at] = this.requestCounts[at]! + 1;
    }
    this.requestDurations[route]!.observe(durationMs / 1000);
  }

  /** Counts an answer with an error. */
  countRefusal(code: ErrorCode): void {
    this.refusalCounts.set(code, (this.refusalCounts.get(code) ?? 0) + 1);
  }

  /** Counts events with one outcome. */
  countEvents(outcome: EventOutcome, source: EventSource, count: number): void {
    const at = OUTCOMES.indexOf(outcome) * SOURCES.length + SOURCES.indexOf(source);
    this.eventCounts[at] = this.eventCounts[at]! + count;
  }

  /** Counts a committed group; `newest` is its newest id when a row was stored. */
  countGroup(events: number, durationMs: number, committedMs: number, newest: number | undefined): void {
    this.groupEvents.observe(events);
    this.commitDurations.observe(durationMs / 1000);
    if (newest === undefined) return;
    const place = this.commitCount++ % COMMITS;
    this.commitIds[place] = newest;
    this.commitTimes[place] = committedMs;
  }

  /** Counts stored events with a client's time that does not count. */
  countIgnoredTimes(events: number): void {
    this.ignoredTimes += events;
  }

  /** Counts a committed step of a deletion. */
  countDeletion(events: number): void {
    this.deletedEvents += events;
    this.deletionSteps++;
  }

  /**
   * Counts a write of frames to a client, whose oldest event has this id. Ignores an event that was committed before
   * the last 1,024 groups.
   */
  countDelivery(id: number): void {
    const count = this.commitCount;
    let committedMs: number | undefined;
    let isKnown = count <= COMMITS;
    for (let place = count - 1; place >= Math.max(0, count - COMMITS); place--) {
      if (this.commitIds[place % COMMITS]! < id) {
        isKnown = true;
        break;
      }
      committedMs = this.commitTimes[place % COMMITS]!;
    }
    if (committedMs === undefined || !isKnown) return;
    this.deliveryLags.observe(Math.max(sharedNowMs() - committedMs, 0) / 1000);
  }

  /** Counts a notification, or one of its attempts. */
  countNotice(result: NoticeResult): void {
    this.noticeCounts.set(result, (this.noticeCounts.get(result) ?? 0) + 1);
  }

  /** Returns the answered requests as places of route, method and status, with their count; those above 0. */
  requests(): (readonly [route: number, method: number, status: number, count: number])[] {
    const [methods, statuses] = [METHODS.length + 1, STATUSES.length];
    return [...this.requestCounts].flatMap((count, place) => {
      const ofRoute = Math.floor(place / statuses);
      const [route, method] = [Math.floor(ofRoute / methods), ofRoute % methods];
      return count > 0 ? [[route, method, place % statuses, count] as const] : [];
    });
  }

  /** Returns the counts of events by outcome and source. */
  events(): (readonly [outcome: string, source: string, count: number])[] {
    return [...this.eventCounts].map((count, at) => {
      return [OUTCOMES[Math.floor(at / SOURCES.length)]!, SOURCES[at % SOURCES.length]!, count];
    });
  }

  /** Returns the counts of refusals by their code. */
  refusals(): ReadonlyMap<string, number> {
    return this.refusalCounts;
  }

  /** Returns the counts of notifications by result. */
  notices(): ReadonlyMap<string, number> {
    return this.noticeCounts;
  }
}

/** Origin of this thread's `performance.now()` on the clock that all threads share. */
const ORIGIN_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Returns a monotonic time in milliseconds. All threads share it, unlike `performance.now()`. */
export function sharedNowMs(): number {
  return ORIGIN_MS + performance.now();
}

/** Returns the pattern of a route with parameters: each matches one segment that is not empty. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
}
