INSERT INTO events (
  id, created_at, session, agent_type, event_type, status, source, tool_name, branch, project, model,
  payload_truncated, tokens_in, tokens_out, cache_read_tokens, cache_write_tokens,
  duration_ms, cost_nanos, client_timestamp, event_id, metadata
) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)
