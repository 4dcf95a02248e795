-- Generated from contract/figures.json.
-- Every row of the statistics, which a check compares with the events.
SELECT
  quarter, name, agent_type, event_count, call_count, error_count, duration_count, duration_ms, tokens_in, tokens_out,
  cost_nanos, computed_cost_nanos, unpriced_tokens
FROM stats
