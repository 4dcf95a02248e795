-- Generated from contract/fields.json. The row with the id ?1, and its whole metadata. unpack_text is a function of the
-- servers: the text of a zstd frame. The plus keeps the value from the planner (decision 23).
SELECT
  v.id, v.event_id, v.schema_version, v.session_id, v.agent_type, v.event_type, v.tool_name, v.status, v.tokens_in,
  v.tokens_out, v.cache_read_tokens, v.cache_write_tokens, v.cache_write_1h_tokens, v.branch, v.project, v.duration_ms,
  v.model, v.service_tier, v.cost_usd, v.computed_cost_usd, v.source, v.source_event, v.host, v.call_id, v.response_id,
  v.agent_id, v.subagent, v.skill, v.mcp_server, v.client_timestamp, v.arrived_at, v.created_at, v.time, v.history,
  v.payload_truncated, v.metadata_bytes,
  ifnull((SELECT unpack_text(w.text) FROM whole_texts AS w WHERE w.id = e.id), coalesce(
    e.metadata,
    (SELECT t.metadata FROM event_texts AS t WHERE t.id = e.id),
    sealed_text(e.id, iif(has_block(e.id), NULL, (SELECT s.texts FROM sealed_texts AS s WHERE s.id = e.id >> 8)))
  )) AS metadata
FROM events AS e CROSS JOIN events_readable AS v ON v.id = e.id
WHERE e.id = +?1
