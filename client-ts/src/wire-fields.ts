/** Generated from `contract/fields.json` by `pnpm contract:update`: name, kind, number in Protobuf, words of a choice. */
import type { OutgoingEvent } from './contract.ts';

type Kind = 'text' | 'choice' | 'integer' | 'dollars' | 'timestamp' | 'json';

export const WIRE_FIELDS: readonly (readonly [keyof OutgoingEvent, Kind, number, (readonly string[])?])[] = [
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
  ['cost_usd', 'dollars', 15],
  // biome-ignore format: one field a line
  ['client_timestamp', 'timestamp', 16],
  // biome-ignore format: one field a line
  ['source', 'choice', 17, ['api', 'hook', 'otel', 'import']],
  // biome-ignore format: one field a line
  ['metadata', 'json', 18],
];
