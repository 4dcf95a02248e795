-- Generated from contract/fields.json. The row of the view with the id ?1, and its whole metadata. unpack_text is a function
-- of the servers: the text of a zstd frame.
SELECT
  e.id, e.event_id, e.schema_version, e.session_id, e.agent_type, e.event_type, e.tool_name, e.status, e.tokens_in,
  e.tokens_out, e.cache_read_tokens, e.cache_write_tokens, e.cache_write_1h_tokens, e.branch, e.project, e.duration_ms,
  e.model, e.service_tier, e.cost_usd, e.computed_cost_usd, e.source, e.source_event, e.host, e.call_id, e.response_id,
  e.agent_id, e.subagent, e.skill, e.mcp_server, e.client_timestamp, e.arrived_at, e.created_at, e.time, e.history,
  e.payload_truncated, e.metadata_bytes,
  ifnull((SELECT unpack_text(w.text) FROM whole_texts AS w WHERE w.id = e.id), e.metadata) AS metadata
FROM events_readable AS e WHERE e.id = ?1
