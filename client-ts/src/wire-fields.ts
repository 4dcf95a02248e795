/** Generated from `contract/fields.json` by `pnpm contract:update`: name, kind, number in Protobuf, words of a choice. */
import type { EventRow, OutgoingEvent } from './contract.ts';

type Kind = 'text' | 'choice' | 'integer' | 'dollars' | 'timestamp' | 'json' | 'boolean';
export type WireField<Name extends string> = readonly [Name, Kind, number, (readonly string[])?];

export const WIRE_FIELDS: readonly WireField<keyof OutgoingEvent>[] = [
  // biome-ignore format: one field a line
  ['session_id', 'text', 1],
  // biome-ignore format: one field a line
  ['agent_type', 'text', 2],
  // biome-ignore format: one field a line
  ['event_type', 'choice', 3, ['tool_use', 'session_start', 'session_end', 'error', 'llm_request', 'llm_response', 'response', 'file_change', 'git_commit', 'plan_step', 'user_prompt']],
  // biome-ignore format: one field a line
  ['status', 'choice', 4, ['success', 'error', 'timeout']],
  // biome-ignore format: one field a line
  ['event_id', 'text', 5],
  // biome-ignore format: one field a line
  ['tool_name', 'text', 6],
  // biome-ignore format: one field a line
  ['branch', 'text', 7],
  // biome-ignore format: one field a line
  ['project', 'text', 8],
  // biome-ignore format: one field a line
  ['model', 'text', 9],
  // biome-ignore format: one field a line
  ['source_event', 'text', 23],
  // biome-ignore format: one field a line
  ['call_id', 'text', 24],
  // biome-ignore format: one field a line
  ['agent_id', 'text', 25],
  // biome-ignore format: one field a line
  ['response_id', 'text', 27],
  // biome-ignore format: one field a line
  ['service_tier', 'text', 28],
  // biome-ignore format: one field a line
  ['subagent', 'text', 29],
  // biome-ignore format: one field a line
  ['skill', 'text', 30],
  // biome-ignore format: one field a line
  ['mcp_server', 'text', 31],
  // biome-ignore format: one field a line
  ['host', 'text', 32],
  // biome-ignore format: one field a line
  ['duration_ms', 'integer', 10],
  // biome-ignore format: one field a line
  ['tokens_in', 'integer', 11],
  // biome-ignore format: one field a line
  ['tokens_out', 'integer', 12],
  // biome-ignore format: one field a line
  ['cache_read_tokens', 'integer', 13],
  // biome-ignore format: one field a line
  ['cache_write_tokens', 'integer', 14],
  // biome-ignore format: one field a line
  ['cache_write_1h_tokens', 'integer', 33],
  // biome-ignore format: one field a line
  ['cost_usd', 'dollars', 15],
  // biome-ignore format: one field a line
  ['client_timestamp', 'timestamp', 16],
  // biome-ignore format: one field a line
  ['arrived_at', 'timestamp', 34],
  // biome-ignore format: one field a line
  ['source', 'choice', 17, ['api', 'hook', 'otel', 'import']],
  // biome-ignore format: one field a line
  ['metadata', 'json', 18],
];

/** Members that a server adds to each event. */
export const SERVER_FIELDS: readonly WireField<keyof EventRow>[] = [
  // biome-ignore format: one field a line
  ['id', 'integer', 19],
  // biome-ignore format: one field a line
  ['schema_version', 'integer', 20],
  // biome-ignore format: one field a line
  ['created_at', 'timestamp', 21],
  // biome-ignore format: one field a line
  ['time', 'timestamp', 35],
  // biome-ignore format: one field a line
  ['history', 'boolean', 36],
  // biome-ignore format: one field a line
  ['payload_truncated', 'boolean', 22],
  // biome-ignore format: one field a line
  ['metadata_bytes', 'integer', 37],
  // biome-ignore format: one field a line
  ['computed_cost_usd', 'dollars', 26],
];

/** The members of a row in order, each with its absent value. */
export const emptyRow = (): Record<keyof EventRow, unknown> => ({
  id: null,
  event_id: null,
  schema_version: null,
  session_id: null,
  agent_type: null,
  event_type: null,
  tool_name: null,
  status: 'success',
  tokens_in: 0,
  tokens_out: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  branch: null,
  project: null,
  duration_ms: null,
  model: null,
  service_tier: null,
  cost_usd: null,
  computed_cost_usd: null,
  source: 'api',
  source_event: null,
  host: null,
  call_id: null,
  response_id: null,
  agent_id: null,
  subagent: null,
  skill: null,
  mcp_server: null,
  client_timestamp: null,
  arrived_at: null,
  created_at: null,
  time: null,
  history: false,
  payload_truncated: false,
  metadata_bytes: null,
  metadata: {},
});
