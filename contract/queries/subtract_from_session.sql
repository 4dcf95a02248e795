-- Generated from contract/figures.json.
-- Takes deleted events out of the sums of a session. ?1 its key, then the figures. A sum that stopped at the
-- largest integer (rule STA-06) stays there.
UPDATE sessions SET
  event_count = event_count - ?2,
  error_count = error_count - ?3,
  tokens_in = iif(tokens_in = 9223372036854775807, tokens_in, tokens_in - ?4),
  tokens_out = iif(tokens_out = 9223372036854775807, tokens_out, tokens_out - ?5),
  cache_read_tokens = iif(cache_read_tokens = 9223372036854775807, cache_read_tokens, cache_read_tokens - ?6),
  cache_write_tokens = iif(cache_write_tokens = 9223372036854775807, cache_write_tokens, cache_write_tokens - ?7),
  cost_nanos = iif(cost_nanos = 9223372036854775807, cost_nanos, cost_nanos - ?8),
  computed_cost_nanos = iif(computed_cost_nanos = 9223372036854775807, computed_cost_nanos, computed_cost_nanos - ?9),
  unpriced_tokens = iif(unpriced_tokens = 9223372036854775807, unpriced_tokens, unpriced_tokens - ?10)
WHERE key = ?1
