-- Generated from contract/fields.json. A parameter has the name of its column.
INSERT INTO events (
  id, created_at, history, payload_truncated, metadata_bytes, computed_cost_nanos, late, time_shift, session,
  agent_type, event_type, status, event_id, tool_name, branch, project, model, source_event, call_id, agent_id,
  response_id, service_tier, subagent, skill, mcp_server, host, duration_ms, tokens_in, tokens_out, cache_read_tokens,
  cache_write_tokens, cache_write_1h_tokens, cost_nanos, client_timestamp, arrived_at, source, metadata
) VALUES (
  :id, :created_at, :history, :payload_truncated, :metadata_bytes, :computed_cost_nanos, :late, :time_shift, :session,
  :agent_type, :event_type, :status, :event_id, :tool_name, :branch, :project, :model, :source_event, :call_id,
  :agent_id, :response_id, :service_tier, :subagent, :skill, :mcp_server, :host, :duration_ms, :tokens_in, :tokens_out,
  :cache_read_tokens, :cache_write_tokens, :cache_write_1h_tokens, :cost_nanos, :client_timestamp, :arrived_at,
  :source, :metadata
)
