-- Generated from contract/fields.json and contract/figures.json. What the sums and summaries of events are made of, oldest
-- first. ?1 and ?2 the first and the last id, ?3 the key of a session or NULL. The names are the last columns, in the
-- order of the fields.
SELECT
  id, created_at + time_shift AS time, session, event_id, late, duration_ms, tokens_in, tokens_out, cache_read_tokens,
  cache_write_tokens, cost_nanos, computed_cost_nanos, agent_type, event_type, tool_name, status, branch, project,
  model, source, source_event, service_tier, subagent, skill, mcp_server, host
FROM events
WHERE id BETWEEN ?1 AND ?2 AND (?3 IS NULL OR session = ?3)
ORDER BY id
