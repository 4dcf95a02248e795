-- Generated from contract/figures.json.
-- Takes deleted events out of the sums of a name and agent in a quarter of an hour, or of all
-- time. Returns the events that are left. ?1 quarter, ?2 name, ?3 agent_type, then the figures. A sum that stopped at the largest integer (rule
-- STA-06) stays there.
UPDATE stats SET
  event_count = event_count - ?4,
  call_count = call_count - ?5,
  error_count = error_count - ?6,
  duration_count = duration_count - ?7,
  duration_ms = iif(duration_ms = 9223372036854775807, duration_ms, duration_ms - ?8),
  tokens_in = iif(tokens_in = 9223372036854775807, tokens_in, tokens_in - ?9),
  tokens_out = iif(tokens_out = 9223372036854775807, tokens_out, tokens_out - ?10),
  cost_nanos = iif(cost_nanos = 9223372036854775807, cost_nanos, cost_nanos - ?11),
  computed_cost_nanos = iif(computed_cost_nanos = 9223372036854775807, computed_cost_nanos, computed_cost_nanos - ?12),
  unpriced_tokens = iif(unpriced_tokens = 9223372036854775807, unpriced_tokens, unpriced_tokens - ?13)
WHERE quarter = ?1 AND name = ?2 AND agent_type = ?3
RETURNING event_count
