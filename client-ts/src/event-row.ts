/** Generated from `contract/fields.json` by `pnpm contract:update`: an event as the servers return it. */

/** A row (contract, rule GET-02). Times are RFC 3339 in UTC with milliseconds. */
export interface EventRow {
  readonly id: number;
  readonly event_id: string | null;
  readonly schema_version: 1;
  readonly session_id: string;
  readonly agent_type: string;
  readonly event_type: string;
  readonly tool_name: string | null;
  readonly status: string;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly branch: string | null;
  readonly project: string | null;
  readonly duration_ms: number | null;
  readonly model: string | null;
  readonly cost_usd: number | null;
  readonly source: string;
  readonly source_event: string | null;
  readonly call_id: string | null;
  readonly agent_id: string | null;
  readonly client_timestamp: string | null;
  readonly created_at: string;
  readonly payload_truncated: boolean;
  readonly metadata: unknown;
}
