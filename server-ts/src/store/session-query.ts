/**
 * Reads sessions by the contract's statements.
 *
 * Belongs to a reader's thread. A session's status depends on the time of the read (rule SES-02). Knows nothing of
 * HTTP or of JSON text.
 */
import { nowMs } from '../clock.ts';
import { QUERIES } from '../queries.ts';
import type { SessionRow } from '../render.ts';
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

/** Returns sessions, newest activity first, and whether more follow. */
export function listSessions(
  queries: Queries,
  filter: SessionFilter,
): { readonly rows: readonly SessionRow[]; readonly more: boolean } {
  const now = nowMs();
  const agentType = queries.filterId('agent_type', filter.agentType);
  const project = queries.filterId('project', filter.project);
  if (agentType === UNKNOWN_NAME || project === UNKNOWN_NAME) return { rows: [], more: false };
  const rows = queries
    .prepared(QUERIES.selectSessions)
    .all(
      now - queries.timeoutMs,
      now - 2 * queries.timeoutMs,
      filter.before ?? NO_UPPER_BOUND,
      filter.limit + 1,
      filter.status,
      filter.excludeStatus,
      agentType,
      project,
      filter.since,
      now - queries.staleMs,
    ) as SessionRow[];
  const more = rows.length > filter.limit;
  return { rows: more ? rows.slice(0, filter.limit) : rows, more };
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
