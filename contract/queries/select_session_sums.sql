-- Generated from contract/figures.json.
-- The sums of every session, which a check compares with its events.
SELECT
  key, first_event_id, last_event_id, event_count, error_count, tokens_in, tokens_out, cache_read_tokens,
  cache_write_tokens, cost_nanos, computed_cost_nanos, unpriced_tokens
FROM sessions
