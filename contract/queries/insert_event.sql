-- Generated from contract/fields.json. A parameter has the name of its column.
INSERT INTO events (
  id, created_at, history, payload_truncated, computed_cost_nanos, late, session, agent_type, event_type, status,
  event_id, tool_name, branch, project, model, source_event, call_id, agent_id, duration_ms, tokens_in, tokens_out,
  cache_read_tokens, cache_write_tokens, cost_nanos, client_timestamp, source, metadata
) VALUES (
  :id, :created_at, :history, :payload_truncated, :computed_cost_nanos, :late, :session, :agent_type, :event_type,
  :status, :event_id, :tool_name, :branch, :project, :model, :source_event, :call_id, :agent_id, :duration_ms,
  :tokens_in, :tokens_out, :cache_read_tokens, :cache_write_tokens, :cost_nanos, :client_timestamp, :source, :metadata
)
