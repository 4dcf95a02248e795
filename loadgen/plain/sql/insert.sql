-- Trims texts and sets defaults. An empty text is no value.
INSERT INTO events (
  event_id, session_id, agent_type, event_type, tool_name,
  status, source,
  tokens_in, tokens_out, cache_read_tokens, cache_write_tokens,
  branch, project, model, source_event, call_id, agent_id,
  duration_ms, cost_usd, client_timestamp, payload_truncated, metadata
) VALUES (
  nullif(trim(:event_id), ''), nullif(trim(:session_id), ''), nullif(trim(:agent_type), ''), trim(:event_type),
  nullif(trim(:tool_name), ''),
  ifnull(:status, iif(trim(:event_type) = 'error', 'error', 'success')), ifnull(:source, 'api'),
  ifnull(:tokens_in, 0), ifnull(:tokens_out, 0), ifnull(:cache_read_tokens, 0), ifnull(:cache_write_tokens, 0),
  nullif(trim(:branch), ''), nullif(trim(:project), ''), nullif(trim(:model), ''),
  nullif(trim(:source_event), ''), nullif(trim(:call_id), ''), nullif(trim(:agent_id), ''),
  :duration_ms, :cost_usd, :client_timestamp, :payload_truncated, :metadata
) ON CONFLICT (event_id) DO NOTHING
