/** Generated from `contract/openapi.json` by `pnpm contract:update`: requests and answers of the client. */

/** An event as sent (EVT-01 to EVT-14). */
export interface OutgoingEvent {
  /** At most 256 bytes of UTF-8 after trimming (EVT-12). */
  readonly session_id: string;
  /** At most 256 bytes of UTF-8 after trimming (EVT-12). */
  readonly agent_type: string;
  readonly event_type: EventType;
  readonly status?: Status | null | undefined;
  /** At most 256 bytes of UTF-8 after trimming (EVT-12). */
  readonly event_id?: string | null | undefined;
  /** At most 256 bytes of UTF-8 after trimming (EVT-12). */
  readonly tool_name?: string | null | undefined;
  /** At most 1024 bytes of UTF-8 after trimming (EVT-12). */
  readonly branch?: string | null | undefined;
  /** At most 1024 bytes of UTF-8 after trimming (EVT-12). */
  readonly project?: string | null | undefined;
  /** At most 256 bytes of UTF-8 after trimming (EVT-12). */
  readonly model?: string | null | undefined;
  /** At most 128 bytes of UTF-8 after trimming (EVT-12). */
  readonly source_event?: string | null | undefined;
  /** At most 256 bytes of UTF-8 after trimming (EVT-12). */
  readonly call_id?: string | null | undefined;
  /** At most 256 bytes of UTF-8 after trimming (EVT-12). */
  readonly agent_id?: string | null | undefined;
  /** At most 256 bytes of UTF-8 after trimming (EVT-12). */
  readonly response_id?: string | null | undefined;
  /** At most 128 bytes of UTF-8 after trimming (EVT-12). */
  readonly service_tier?: string | null | undefined;
  /** At most 256 bytes of UTF-8 after trimming (EVT-12). */
  readonly subagent?: string | null | undefined;
  /** At most 256 bytes of UTF-8 after trimming (EVT-12). */
  readonly skill?: string | null | undefined;
  /** At most 256 bytes of UTF-8 after trimming (EVT-12). */
  readonly mcp_server?: string | null | undefined;
  /** At most 256 bytes of UTF-8 after trimming (EVT-12). */
  readonly host?: string | null | undefined;
  readonly duration_ms?: number | null | undefined;
  readonly tokens_in?: number | null | undefined;
  readonly tokens_out?: number | null | undefined;
  readonly cache_read_tokens?: number | null | undefined;
  readonly cache_write_tokens?: number | null | undefined;
  readonly cache_write_1h_tokens?: number | null | undefined;
  readonly cost_usd?: number | null | undefined;
  readonly client_timestamp?: string | null | undefined;
  readonly arrived_at?: string | null | undefined;
  readonly source?: Source | null | undefined;
  /** Any JSON value, kept byte for byte (MET-01). */
  readonly metadata?: unknown;
}

/** An event as stored; times in UTC with milliseconds (GET-02). */
export interface EventRow {
  readonly id: number;
  readonly event_id: string | null;
  readonly schema_version: 1;
  readonly session_id: string;
  readonly agent_type: string;
  readonly event_type: EventType;
  readonly tool_name: string | null;
  readonly status: Status;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly cache_write_1h_tokens: number;
  readonly branch: string | null;
  readonly project: string | null;
  readonly duration_ms: number | null;
  readonly model: string | null;
  readonly service_tier: string | null;
  readonly cost_usd: number | null;
  readonly computed_cost_usd: number | null;
  readonly source: Source;
  readonly source_event: string | null;
  readonly host: string | null;
  readonly call_id: string | null;
  readonly response_id: string | null;
  readonly agent_id: string | null;
  readonly subagent: string | null;
  readonly skill: string | null;
  readonly mcp_server: string | null;
  readonly client_timestamp: string | null;
  readonly arrived_at: string | null;
  readonly created_at: string;
  readonly time: string;
  readonly history: boolean;
  readonly payload_truncated: boolean;
  readonly metadata_bytes: number | null;
  /** Any JSON value, its text as it was sent (MET-01). */
  readonly metadata: unknown;
}

/** GET-01 */
export interface EventPage {
  readonly events: readonly EventRow[];
  readonly next: number | null;
  /** GET-12 */
  readonly scanned_to: number;
}

/** GET-15 */
export interface EventTimePage {
  readonly events: readonly EventRow[];
  readonly next: string | null;
  readonly scanned_to: string | null;
}

/** SES-03 */
export interface Session {
  readonly id: string;
  readonly agent_type: string;
  readonly project: string | null;
  readonly branch: string | null;
  readonly model: string | null;
  readonly status: 'active' | 'waiting' | 'idle' | 'ended';
  readonly waiting_reason: 'permission' | 'question' | 'idle_prompt' | 'turn_finished' | null;
  readonly waiting_since: string | null;
  readonly waiting_stale: boolean;
  readonly started_at: string;
  readonly last_event_at: string;
  readonly live_at: string | null;
  readonly ended_at: string | null;
  readonly last_event_id: number;
  readonly event_count: number;
  readonly error_count: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly total_cost_usd: number;
  readonly total_computed_cost_usd: number;
  readonly unpriced_tokens: number;
}

/** SES-01 */
export interface SessionPage {
  readonly sessions: readonly Session[];
  readonly next: string | null;
  /** SES-05 */
  readonly scanned_to: string | null;
}

/** SES-04 */
export interface SessionWithEvents {
  readonly session: Session;
  readonly events: readonly EventRow[];
}

/** STA-01; since and until only when they were asked for (STA-05). */
export interface Stats {
  readonly total_events: number;
  readonly active_sessions: number;
  readonly total_sessions: number;
  readonly total_tokens_in: number;
  readonly total_tokens_out: number;
  readonly total_cost_usd: number;
  readonly total_computed_cost_usd: number;
  readonly total_unpriced_tokens: number;
  readonly total_errors: number;
  readonly tools: readonly Counted[];
  readonly agents: readonly Counted[];
  readonly models: readonly Counted[];
  readonly event_types: readonly Counted[];
  readonly branches: readonly Counted[];
  readonly since?: string;
  readonly until?: string;
}

/** SER-01 to SER-06. Each list of sums has an entry for each of `buckets`. */
export interface Series {
  readonly bucket: 'minute' | 'hour' | 'day' | 'week' | 'month';
  readonly tz: string;
  readonly by: string | null;
  readonly buckets: readonly string[];
  readonly series: readonly SeriesLine[];
  readonly next: number | null;
  readonly scanned_to: number;
  readonly since: string | null;
  readonly until: string | null;
}

export interface Deleted {
  readonly deleted: number;
  readonly revision: string;
}

export interface Backup {
  readonly file: string;
  readonly bytes: number;
  readonly newest_id: number;
  readonly attachments: number;
  /** The newest sequence in a copy of a stream (CLU-13). */
  readonly sequence?: number;
}

/** ING-04; results only with ?results=1 (ING-05). */
export interface BatchResult {
  readonly received: number;
  readonly ids: readonly number[];
  readonly duplicates: number;
  readonly rejected: readonly {
    readonly index: number;
    readonly line?: number;
    readonly errors: readonly string[];
  }[];
  readonly results?: readonly ItemResult[];
  readonly revision: Revision;
}

export interface StateSnapshot {
  readonly topic: string;
  readonly epoch: string;
  readonly revision: Revision;
  readonly since?: Revision;
  readonly reset?: true;
  readonly data: EventPage | Stats | SessionPage | SessionWithEvents;
}

export type EventType =
  | 'tool_use'
  | 'session_start'
  | 'session_end'
  | 'error'
  | 'llm_request'
  | 'llm_response'
  | 'response'
  | 'file_change'
  | 'git_commit'
  | 'plan_step'
  | 'user_prompt';

export type Status = 'success' | 'error' | 'timeout';

export type Source = 'api' | 'hook' | 'otel' | 'import';

/** GET-09; a name of null stands for all further names (GET-11). */
export interface Counted {
  readonly name: string | null;
  readonly count: number;
}

export interface SeriesLine {
  readonly name: string | null;
  readonly event_count: readonly number[];
  readonly error_count: readonly number[];
  readonly duration_count: readonly number[];
  readonly duration_ms: readonly number[];
  readonly tokens_in: readonly number[];
  readonly tokens_out: readonly number[];
  readonly cost_usd: readonly number[];
  readonly computed_cost_usd: readonly number[];
  readonly unpriced_tokens: readonly number[];
  readonly p50_ms?: number | null;
  readonly p95_ms?: number | null;
  readonly durations?: readonly (readonly number[])[];
}

/** One per item, in order (ING-05). */
export type ItemResult =
  | {
      readonly index: number;
      readonly status: 'stored';
      readonly id: number;
    }
  | {
      readonly index: number;
      readonly status: 'duplicate';
    }
  | {
      readonly index: number;
      readonly line?: number;
      readonly status: 'rejected';
      readonly errors: readonly string[];
    };

/** An unsigned 64-bit integer (SYN-01). */
export type Revision = string;

/** Parameters of `GET /api/events`. */
export interface EventsQuery {
  readonly session_id?: string | undefined;
  readonly agent_type?: string | undefined;
  readonly event_type?: EventType | undefined;
  readonly tool_name?: string | undefined;
  readonly status?: Status | undefined;
  readonly branch?: string | undefined;
  readonly project?: string | undefined;
  readonly model?: string | undefined;
  readonly source?: Source | undefined;
  readonly source_event?: string | undefined;
  /** Only together with session_id (GET-03). */
  readonly call_id?: string | undefined;
  /** Only together with session_id (GET-03). */
  readonly agent_id?: string | undefined;
  /** Only together with session_id (GET-03). */
  readonly response_id?: string | undefined;
  readonly service_tier?: string | undefined;
  readonly subagent?: string | undefined;
  readonly skill?: string | undefined;
  readonly mcp_server?: string | undefined;
  readonly host?: string | undefined;
  /** A text to search for, at most 128 bytes (GET-13). */
  readonly q?: string | undefined;
  /** 1: search whole metadata instead of summaries (GET-13). It needs q. */
  readonly whole?: '1' | undefined;
  /** Inclusive (GET-04). */
  readonly since?: string | undefined;
  /** Exclusive (GET-04). */
  readonly until?: string | undefined;
  /** Ids above this one, oldest first (GET-05). */
  readonly after?: number | undefined;
  /** Ids below this one, newest first (GET-05). */
  readonly before?: number | undefined;
  /** Agrees with the cursor where there is one (GET-05). */
  readonly order?: 'asc' | 'desc' | undefined;
  /** The order of `time` in place of that of ids (GET-15). */
  readonly order_by?: 'time' | undefined;
  /** The `next` of a page with order_by (GET-15). */
  readonly cursor?: string | undefined;
  /** How many rows (GET-01, SES-01, SES-04); of events in NDJSON and Arrow up to 1,000,000 (FMT-09). */
  readonly limit?: number | undefined;
  /** A sequence that the answer must include (CLU-09). */
  readonly min_seq?: number | undefined;
}

/** Parameters of `GET /api/sessions`. */
export interface SessionsQuery {
  readonly status?: 'active' | 'waiting' | 'idle' | 'ended' | undefined;
  readonly exclude_status?: 'active' | 'waiting' | 'idle' | 'ended' | undefined;
  readonly agent_type?: string | undefined;
  readonly project?: string | undefined;
  /** Inclusive (GET-04). */
  readonly since?: string | undefined;
  /** The `next` of a page of sessions (SES-01). */
  readonly cursor?: string | undefined;
  /** How many rows (GET-01, SES-01, SES-04); of events in NDJSON and Arrow up to 1,000,000 (FMT-09). */
  readonly limit?: number | undefined;
  /** A sequence that the answer must include (CLU-09). */
  readonly min_seq?: number | undefined;
}

/** Parameters of `GET /api/stats`. */
export interface StatsQuery {
  readonly agent_type?: string | undefined;
  /** Inclusive (GET-04). */
  readonly since?: string | undefined;
  /** Exclusive (GET-04). */
  readonly until?: string | undefined;
  /** A sequence that the answer must include (CLU-09). */
  readonly min_seq?: number | undefined;
}

/** Parameters of `GET /api/series`. */
export interface SeriesQuery {
  readonly session_id?: string | undefined;
  readonly agent_type?: string | undefined;
  readonly event_type?: EventType | undefined;
  readonly tool_name?: string | undefined;
  readonly status?: Status | undefined;
  readonly branch?: string | undefined;
  readonly project?: string | undefined;
  readonly model?: string | undefined;
  readonly source?: Source | undefined;
  readonly source_event?: string | undefined;
  /** Only together with session_id (GET-03). */
  readonly call_id?: string | undefined;
  /** Only together with session_id (GET-03). */
  readonly agent_id?: string | undefined;
  /** Only together with session_id (GET-03). */
  readonly response_id?: string | undefined;
  readonly service_tier?: string | undefined;
  readonly subagent?: string | undefined;
  readonly skill?: string | undefined;
  readonly mcp_server?: string | undefined;
  readonly host?: string | undefined;
  /** A text to search for, at most 128 bytes (GET-13). */
  readonly q?: string | undefined;
  /** 1: search whole metadata instead of summaries (GET-13). It needs q. */
  readonly whole?: '1' | undefined;
  /** Inclusive (GET-04). */
  readonly since?: string | undefined;
  /** Exclusive (GET-04). */
  readonly until?: string | undefined;
  /** Ids below this one, newest first (GET-05). */
  readonly before?: number | undefined;
  /** The length of a bucket (SER-01). */
  readonly bucket?: 'minute' | 'hour' | 'day' | 'week' | 'month' | undefined;
  /** The time zone of the buckets, such as Europe/Berlin (SER-01). */
  readonly tz?: string | undefined;
  /** The field whose values divide the sums (SER-01). */
  readonly by?:
    | 'agent_type'
    | 'event_type'
    | 'tool_name'
    | 'status'
    | 'branch'
    | 'project'
    | 'model'
    | 'source'
    | 'source_event'
    | 'service_tier'
    | 'subagent'
    | 'skill'
    | 'mcp_server'
    | 'host'
    | undefined;
  /** 1 adds percentiles and a histogram of durations to each series, which then comes from rows (SER-06). */
  readonly durations?: '0' | '1' | undefined;
  /** A sequence that the answer must include (CLU-09). */
  readonly min_seq?: number | undefined;
}

/** Parameters of `GET /api/snapshot/{topic}`. */
export interface SnapshotQuery {
  /** A revision that the client has (SYN-07). */
  readonly since?: number | undefined;
  /** The epoch the client knows (STR-04). */
  readonly epoch?: string | undefined;
  /** How many rows (GET-01, SES-01, SES-04); of events in NDJSON and Arrow up to 1,000,000 (FMT-09). */
  readonly limit?: number | undefined;
  /** A revision to wait for, up to five seconds (SYN-08). */
  readonly wait?: number | undefined;
  /** A sequence that the answer must include (CLU-09). */
  readonly min_seq?: number | undefined;
}
