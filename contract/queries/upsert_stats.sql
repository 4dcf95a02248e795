-- Generated from contract/figures.json.
-- What one group of events means for one name and agent, in one quarter of an hour or of all time.
-- ?1 quarter, ?2 name, ?3 agent_type, then the figures. Sums stop at the largest 64-bit integer (rule STA-06).
INSERT INTO stats (
  quarter, name, agent_type, event_count, call_count, error_count, duration_count, duration_ms, tokens_in, tokens_out,
  cost_nanos
) VALUES (
  ?1, ?2, ?3, CAST(?4 AS INTEGER), CAST(?5 AS INTEGER), CAST(?6 AS INTEGER), CAST(?7 AS INTEGER), CAST(?8 AS INTEGER),
  CAST(?9 AS INTEGER), CAST(?10 AS INTEGER), CAST(?11 AS INTEGER)
)
ON CONFLICT (quarter, name, agent_type) DO UPDATE SET
  event_count = event_count + excluded.event_count,
  call_count = call_count + excluded.call_count,
  error_count = error_count + excluded.error_count,
  duration_count = duration_count + excluded.duration_count,
  duration_ms = iif(duration_ms > 9223372036854775807 - excluded.duration_ms, 9223372036854775807, duration_ms + excluded.duration_ms),
  tokens_in = iif(tokens_in > 9223372036854775807 - excluded.tokens_in, 9223372036854775807, tokens_in + excluded.tokens_in),
  tokens_out = iif(tokens_out > 9223372036854775807 - excluded.tokens_out, 9223372036854775807, tokens_out + excluded.tokens_out),
  cost_nanos = iif(cost_nanos > 9223372036854775807 - excluded.cost_nanos, 9223372036854775807, cost_nanos + excluded.cost_nanos)
