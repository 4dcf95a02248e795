/** What the page reads of the servers' answers (contract, sections "Read", "Sessions", "Statistics" and "Health"). */
import type { EventRow } from '@twin-ingest/client';

export type Row = EventRow;

export interface EventPage {
  /** Newest first, unless the query says otherwise. */
  readonly events: readonly Row[];
  /** Where to go on; null at the end. */
  readonly next: number | null;
}

export type SessionStatus = 'waiting' | 'active' | 'idle' | 'ended';
/** Why a session waits for a person. */
export type WaitingReason = 'permission' | 'question' | 'idle_prompt' | 'turn_finished';

export interface Session {
  readonly id: string;
  readonly agent_type: string;
  readonly project: string | null;
  readonly branch: string | null;
  readonly status: SessionStatus;
  readonly started_at: string;
  readonly last_event_at: string;
  readonly ended_at: string | null;
  readonly last_event_id: number;
  /** Absent from servers that do not know this status. */
  readonly waiting_reason?: WaitingReason | null;
  readonly waiting_since?: string | null;
  readonly waiting_stale?: boolean;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly event_count: number;
  readonly error_count: number;
  readonly total_cost_usd: number;
}

export interface SessionPage {
  readonly sessions: readonly Session[];
  readonly next: number | null;
}

/** A value and how many events have it. */
export interface Counted {
  readonly name: string;
  readonly count: number;
}

export interface Stats {
  readonly total_events: number;
  readonly active_sessions: number;
  readonly total_sessions: number;
  readonly total_tokens_in: number;
  readonly total_tokens_out: number;
  readonly total_cost_usd: number;
  readonly total_errors: number;
  readonly agents: readonly Counted[];
  readonly models: readonly Counted[];
  readonly branches: readonly Counted[];
}

export interface Tool {
  readonly tool_name: string;
  readonly total_calls: number;
  readonly error_count: number;
  /** From 0 to 1. */
  readonly error_rate: number;
  readonly avg_duration_ms: number | null;
}

/** One hour in which events came. */
export interface Bucket {
  readonly bucket: string;
  readonly cost_usd: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly event_count: number;
}

export interface Spent {
  readonly name: string;
  readonly cost_usd: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly event_count: number;
}

export interface Cost {
  /** Oldest first. */
  readonly timeline: readonly Bucket[];
  readonly by_project: readonly Spent[];
  readonly by_model: readonly Spent[];
}

export interface Health {
  readonly status: string;
  readonly reason?: string;
  /** Seconds. */
  readonly uptime: number;
  readonly sse_clients: number;
  readonly version: string;
  readonly runtime: string;
  readonly contract: string;
  readonly durability: string;
  readonly sqlite_version: string;
  readonly db_bytes: number;
  readonly wal_bytes: number;
  readonly queue_events: number;
}
