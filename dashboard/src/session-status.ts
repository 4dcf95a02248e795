/**
 * Updates a session's status over time by rule SES-02, without another request: no revision changes with time.
 *
 * No answer contains the timeout, which is a flag. The server's statuses of sessions of known age bound it.
 */
import type { Session, SessionStatus } from './api.ts';

/** The default of `--session-timeout-minutes` in milliseconds. */
const TIMEOUT_MS = 300_000;

export function statusAt(session: Session, now_ms: number, timeout_ms: number): SessionStatus {
  // Silence does not end a session that needs an answer.
  if (session.status === 'waiting') return 'waiting';
  // Without a live event, as after an import, no session runs.
  if (session.ended_at !== null || session.live_at === null) return 'ended';
  const age_ms = now_ms - Date.parse(session.live_at);
  if (age_ms >= 2 * timeout_ms) return 'ended';
  return age_ms >= timeout_ms ? 'idle' : 'active';
}

/** Returns the default, unless the answer at `at_ms` contradicts it. */
export function timeoutOf(sessions: readonly Session[], at_ms: number): number {
  let [least, most] = [0, Infinity];
  for (const { status, ended_at, live_at } of sessions) {
    if (status === 'waiting' || live_at === null) continue;
    const age_ms = at_ms - Date.parse(live_at);
    if (status === 'active') least = Math.max(least, age_ms);
    else if (status === 'idle') {
      least = Math.max(least, age_ms / 2);
      most = Math.min(most, age_ms);
    } else if (ended_at === null) most = Math.min(most, age_ms / 2);
  }
  // Whole minutes, as in the flag.
  if (TIMEOUT_MS > least && TIMEOUT_MS <= most) return TIMEOUT_MS;
  const minutes = TIMEOUT_MS <= least ? Math.floor(least / 60_000) + 1 : Math.floor(most / 60_000);
  return Math.max(1, minutes) * 60_000;
}
