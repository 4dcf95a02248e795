/**
 * Reads sessions by the contract's statements.
 *
 * Belongs to a reader's thread. A session's status depends on the time of the read (rule SES-02). Knows nothing of
 * HTTP or of JSON text.
 */
import { nowMs } from '../clock.ts';
import { LIMITS } from '../contract.ts';
import { QUERIES } from '../queries.ts';
import type { Reached, SessionRow } from '../render.ts';
import { NO_UPPER_BOUND, type Queries, UNKNOWN_NAME } from './query.ts';

export interface SessionFilter {
  readonly status?: string | undefined;
  readonly excludeStatus?: string | undefined;
  readonly agentType?: string | undefined;
  readonly project?: string | undefined;
  readonly since?: number | undefined;
  /** Upper bound of `last_event_id`, exclusive. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/**
 * Returns sessions, newest activity first. Looks at a bounded number of sessions (rule SES-05). Runs within the caller's
 * transaction.
 */
export function listSessions(
  queries: Queries,
  filter: SessionFilter,
): { readonly rows: readonly SessionRow[]; readonly reached: Reached } {
  const now = nowMs();
  const agentType = queries.filterId('agent_type', filter.agentType);
  const project = queries.filterId('project', filter.project);
  if (agentType === UNKNOWN_NAME || project === UNKNOWN_NAME) return { rows: [], reached: END };
  const before = filter.before ?? NO_UPPER_BOUND;
  const bound = isWhole(filter) ? null : sessionBound(queries, before);
  const rows = queries
    .prepared(QUERIES.selectSessions)
    .all(
      now - queries.timeoutMs,
      now - 2 * queries.timeoutMs,
      before,
      filter.limit + 1,
      filter.status,
      filter.excludeStatus,
      agentType,
      project,
      filter.since,
      now - queries.staleMs,
      bound ?? 0,
    ) as SessionRow[];
  const isFull = rows.length > filter.limit;
  const shown = isFull ? rows.slice(0, filter.limit) : rows;
  const next = isFull ? Number(shown.at(-1)!.last_event_id) : bound;
  return { rows: shown, reached: { next, scannedTo: next ?? 0 } };
}

/** Where a page without further sessions ends. */
const END: Reached = { next: null, scannedTo: 0 };

/** Returns whether every session below `before` matches. */
function isWhole({ status, excludeStatus, agentType, project, since }: SessionFilter): boolean {
  return [status, excludeStatus, agentType, project, since].every((wanted) => wanted === undefined);
}

/** Returns the `last_event_id` of the last session that a page looks at; null when it looks at all sessions. */
function sessionBound(queries: Queries, before: number): number | null {
  return queries.pluck(QUERIES.selectSessionBound, before, LIMITS.page_sessions);
}

/** Returns one session; `undefined` when it has no event. */
export function getSession(queries: Queries, sessionId: string): SessionRow | undefined {
  const now = nowMs();
  const [idle, ended] = [now - queries.timeoutMs, now - 2 * queries.timeoutMs];
  const statement = queries.prepared(QUERIES.selectSession);
  return statement.get(idle, ended, sessionId, now - queries.staleMs) as SessionRow | undefined;
}

/** Returns the revision of a session's topic (rule SYN-01); 0 when it has no event. */
export function sessionRevision(queries: Queries, sessionId: string): number {
  return queries.pluck(QUERIES.selectSessionRevision, sessionId) ?? 0;
}
