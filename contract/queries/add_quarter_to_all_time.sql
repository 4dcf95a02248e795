-- Generated from contract/figures.json.
-- Adds the sums of the open quarter to those of all time. ?1 the quarter of the sums of all time, ?2 the
-- open quarter. Sums stop at the largest 64-bit integer (rule STA-06).
INSERT INTO stats (
  quarter, name, agent_type, event_count, call_count, error_count, duration_count, duration_ms, tokens_in, tokens_out,
  cost_nanos, computed_cost_nanos, unpriced_tokens
)
SELECT
  CAST(?1 AS INTEGER), name, agent_type, event_count, call_count, error_count, duration_count, duration_ms, tokens_in,
  tokens_out, cost_nanos, computed_cost_nanos, unpriced_tokens
FROM stats WHERE quarter = ?2
ON CONFLICT (quarter, name, agent_type) DO UPDATE SET
  event_count = event_count + excluded.event_count,
  call_count = call_count + excluded.call_count,
  error_count = error_count + excluded.error_count,
  duration_count = duration_count + excluded.duration_count,
  duration_ms = iif(duration_ms > 9223372036854775807 - excluded.duration_ms, 9223372036854775807, duration_ms + excluded.duration_ms),
  tokens_in = iif(tokens_in > 9223372036854775807 - excluded.tokens_in, 9223372036854775807, tokens_in + excluded.tokens_in),
  tokens_out = iif(tokens_out > 9223372036854775807 - excluded.tokens_out, 9223372036854775807, tokens_out + excluded.tokens_out),
  cost_nanos = iif(cost_nanos > 9223372036854775807 - excluded.cost_nanos, 9223372036854775807, cost_nanos + excluded.cost_nanos),
  computed_cost_nanos = iif(computed_cost_nanos > 9223372036854775807 - excluded.computed_cost_nanos, 9223372036854775807, computed_cost_nanos + excluded.computed_cost_nanos),
  unpriced_tokens = iif(unpriced_tokens > 9223372036854775807 - excluded.unpriced_tokens, 9223372036854775807, unpriced_tokens + excluded.unpriced_tokens)
