-- Trims texts, sets defaults, and replaces long metadata by its length with the members that fit. An empty text is no
-- value.
INSERT INTO events (
  event_id, session_id, agent_type, event_type, tool_name,
  status, source,
  tokens_in, tokens_out, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens,
  branch, project, model, source_event, call_id, agent_id,
  response_id, service_tier, subagent, skill, mcp_server, host,
  duration_ms, cost_usd, client_timestamp, arrived_at, payload_truncated, metadata
) VALUES (
  nullif(trim(:event_id), ''), nullif(trim(:session_id), ''), nullif(trim(:agent_type), ''), trim(:event_type),
  nullif(trim(:tool_name), ''),
  ifnull(:status, iif(trim(:event_type) = 'error', 'error', 'success')), ifnull(:source, 'api'),
  ifnull(:tokens_in, 0), ifnull(:tokens_out, 0), ifnull(:cache_read_tokens, 0), ifnull(:cache_write_tokens, 0),
  ifnull(:cache_write_1h_tokens, 0),
  nullif(trim(:branch), ''), nullif(trim(:project), ''), nullif(trim(:model), ''),
  nullif(trim(:source_event), ''), nullif(trim(:call_id), ''), nullif(trim(:agent_id), ''),
  nullif(trim(:response_id), ''), nullif(trim(:service_tier), ''), nullif(trim(:subagent), ''),
  nullif(trim(:skill), ''), nullif(trim(:mcp_server), ''), nullif(trim(:host), ''),
  :duration_ms, :cost_usd, :client_timestamp, :arrived_at, octet_length(:metadata) > 10240,
  iif(octet_length(:metadata) <= 10240, :metadata, (
    WITH RECURSIVE keys (place, key) AS (
      VALUES (1, 'command'), (2, 'file_path'), (3, 'query'), (4, 'pattern'), (5, 'error'), (6, 'message'),
        (7, 'tool_name'), (8, 'path'), (9, 'type')
    ), summary (place, text) AS (
      VALUES (0, concat('{"_truncated":true,"_original_bytes":', octet_length(:metadata)))
      UNION ALL
      SELECT keys.place, iif(octet_length(text || longer) < 10240, text || longer, text)
      FROM summary, (SELECT place, concat(',"', key, '":') || (:metadata -> key) AS longer FROM keys) AS keys
      WHERE keys.place = summary.place + 1
    )
    SELECT text || '}' FROM summary ORDER BY place DESC LIMIT 1
  ))
) ON CONFLICT (event_id) DO NOTHING
