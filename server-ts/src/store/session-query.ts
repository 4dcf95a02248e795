/**
 * Reads sessions by the contract's statements.
 *
 * Belongs to a reader's thread. A session's status depends on the time of the read (rule SES-02). Knows nothing of
 * HTTP or of JSON text.
 */
import { nowMs } from '../clock.ts';
import { LIMITS } from '../contract.ts';
import { QUERIES } from '../queries.ts';
import type { Place, SessionRow } from '../render.ts';
import { NO_UPPER_BOUND, type Queries, UNKNOWN_NAME } from './query.ts';

export interface SessionFilter {
  readonly status?: string | undefined;
  readonly excludeStatus?: string | undefined;
  readonly agentType?: string | undefined;
  readonly project?: string | undefined;
  readonly since?: number | undefined;
  /** The place below which the page begins. */
  readonly cursor?: Place | undefined;
  readonly limit: number;
}

/**
 * Returns sessions, newest activity first. Looks at a bounded number of sessions (rule SES-05). `next` is the place
 * where the next page continues. Runs within the caller's transaction.
 */
export function listSessions(
  queries: Queries,
  filter: SessionFilter,
): { readonly rows: readonly SessionRow[]; readonly next: Place | undefined } {
  const now = nowMs();
  const agentType = queries.filterId('agent_type', filter.agentType);
  const project = queries.filterId('project', filter.project);
  if (agentType === UNKNOWN_NAME || project === UNKNOWN_NAME) return { rows: [], next: undefined };
  const below = filter.cursor ?? { time: NO_UPPER_BOUND, number: NO_UPPER_BOUND };
  const bound = isWhole(filter) ? undefined : sessionBound(queries, below);
  const lowest = bound ?? { time: -NO_UPPER_BOUND, number: 0 };
  const placed = queries
    .prepared(QUERIES.selectSessions)
    .all(
      now - queries.timeoutMs,
      now - 2 * queries.timeoutMs,
      below.time,
      below.number,
      filter.limit + 1,
      filter.status,
      filter.excludeStatus,
      agentType,
      project,
      filter.since,
      now - queries.staleMs,
      lowest.time,
      lowest.number,
    ) as PlacedRow[];
  const shown = placed.slice(0, filter.limit);
  const last = shown.at(-1);
  const isFull = last !== undefined && placed.length > shown.length;
  const next = isFull ? { time: last.activity, number: last.number } : bound;
  // The place is not shown.
  return { rows: shown.map(({ activity, number, ...row }): SessionRow => row), next };
}

/** A row of `select_sessions.sql`. */
type PlacedRow = SessionRow & { readonly activity: number; readonly number: number };

/** Returns whether every session below the cursor matches. */
function isWhole({ status, excludeStatus, agentType, project, since }: SessionFilter): boolean {
  return [status, excludeStatus, agentType, project, since].every((wanted) => wanted === undefined);
}

/** Returns the place of the last session that a page looks at; `undefined` when it looks at all sessions. */
function sessionBound(queries: Queries, below: Place): Place | undefined {
  const statement = queries.prepared(QUERIES.selectSessionBound, true);
  const row = statement.get(below.time, below.number, LIMITS.page_sessions);
  if (row === undefined) return undefined;
  const [time, number] = row as readonly [number, number];
  return { time, number };
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
