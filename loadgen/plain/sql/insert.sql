INSERT INTO events (
  event_id, session_id, agent_type, event_type, tool_name, status, tokens_in, tokens_out, cache_read_tokens,
  cache_write_tokens, branch, project, duration_ms, model, cost_usd, source, source_event, call_id, agent_id,
  client_timestamp, created_at, payload_truncated, metadata
) VALUES (
  @event_id, @session_id, @agent_type, @event_type, @tool_name, @status, @tokens_in, @tokens_out, @cache_read_tokens,
  @cache_write_tokens, @branch, @project, @duration_ms, @model, @cost_usd, @source, @source_event, @call_id, @agent_id,
  @client_timestamp, @created_at, @payload_truncated, @metadata
) ON CONFLICT (event_id) DO NOTHING
