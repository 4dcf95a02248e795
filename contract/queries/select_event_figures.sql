-- Generated from contract/fields.json. What the sums and summaries of every event are made of, oldest first, for a check of
-- them. The names are the last columns, in the order of the fields.
SELECT
  id, created_at, session, event_id, duration_ms, tokens_in, tokens_out, cache_read_tokens, cache_write_tokens,
  cost_nanos, computed_cost_nanos, agent_type, event_type, tool_name, status, branch, project, model, source,
  source_event
FROM events
ORDER BY id
