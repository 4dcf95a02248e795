/** Server state in addition to the feed: sessions, statistics, cost, health. */
import { computed, signal } from '@preact/signals';
import type { Cost, Health, Percentiles, Retention, Row, Session, SessionPage, Stats, Tool } from './api.ts';
import { otherZone } from './days.ts';
import type { HourCounts } from './hourly.ts';
import { Rate } from './rate.ts';
import { statusAt, timeoutOf } from './session-status.ts';
import { now_ms, serverNow } from './time.ts';

/** Number of seconds that the live rate covers. */
export const RATE_SECONDS = 300;

export const stats = signal<Stats | null>(null);
export const tools = signal<readonly Tool[] | null>(null);
/** The durations of tools, by name. */
export const durations = signal<ReadonlyMap<string, Percentiles>>(new Map());
/** The number of newest events that `durations` cover; null: all of the time range. */
export const durationEvents = signal<number | null>(null);
export const events = signal<HourCounts>(new Map());
export const cost = signal<Cost | null>(null);
/** The newest errors. */
export const failures = signal<readonly Row[] | null>(null);
/** The last health answer. */
export const health = signal<Health | null>(null);
/** The time zone of days, if it is not that of the browser. */
export const dayZone = computed(() => otherZone(health.value?.time_zone));
/** The last bounds of retention. */
export const retention = signal<Retention | null>(null);
/** Whether the last health answer still applies. */
export const isHealthKnown = signal(false);
export const rate = new Rate(RATE_SECONDS);

const page = signal<SessionPage | null>(null);
const timeout_ms = signal(0);

/** Sessions that need an answer, including those beyond the page of newest sessions. */
const waitingPage = signal<readonly Session[]>([]);

export function takeWaiting({ sessions: list }: SessionPage): void {
  waitingPage.value = list;
}

export function takeSessions(answer: SessionPage): void {
  page.value = answer;
  timeout_ms.value = timeoutOf(answer.sessions, serverNow());
}

/** The sessions with their current status; `null` before the first answer. */
export const sessions = computed(() => {
  if (page.value === null) return null;
  const newest = page.value.sessions;
  const ids = new Set(newest.map(({ id }) => id));
  const older = page.value.next === null ? [] : waitingPage.value.filter(({ id }) => !ids.has(id));
  return [...newest, ...older].map((session) => ({
    session,
    status: statusAt(session, now_ms.value, timeout_ms.value),
    age_ms: now_ms.value - activityOf(session),
  }));
});

/** Returns when a session was active last, as in the order of the list (rule SES-01). */
function activityOf({ last_event_at, live_at }: Session): number {
  return Math.max(Date.parse(last_event_at), live_at === null ? 0 : Date.parse(live_at));
}

/** Projects by session id. */
export const projects = computed<ReadonlyMap<string, string | null>>(
  () => new Map(sessions.value?.map(({ session: { id, project } }) => [id, project])),
);

/** Whether more sessions exist. */
export const hasMoreSessions = computed(() => page.value !== null && page.value.next !== null);
