-- Generated from contract/figures.json.
-- What one group of events adds to figures that few events have. The group has written the row.
-- ?1 key, then computed_cost_nanos, unpriced_tokens. Sums stop at the largest 64-bit integer (rule STA-06).
UPDATE sessions SET
  computed_cost_nanos = iif(computed_cost_nanos > 9223372036854775807 - CAST(?2 AS INTEGER), 9223372036854775807, computed_cost_nanos + CAST(?2 AS INTEGER)),
  unpriced_tokens = iif(unpriced_tokens > 9223372036854775807 - CAST(?3 AS INTEGER), 9223372036854775807, unpriced_tokens + CAST(?3 AS INTEGER))
WHERE key = ?1
