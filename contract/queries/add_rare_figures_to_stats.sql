-- Generated from contract/figures.json.
-- What one group of events adds to figures that few events have. The group has written the row.
-- ?1 quarter, ?2 name, ?3 agent_type, then computed_cost_nanos, unpriced_tokens. Sums stop at the largest 64-bit integer (rule STA-06).
UPDATE stats SET
  computed_cost_nanos = iif(computed_cost_nanos > 9223372036854775807 - CAST(?4 AS INTEGER), 9223372036854775807, computed_cost_nanos + CAST(?4 AS INTEGER)),
  unpriced_tokens = iif(unpriced_tokens > 9223372036854775807 - CAST(?5 AS INTEGER), 9223372036854775807, unpriced_tokens + CAST(?5 AS INTEGER))
WHERE quarter = ?1 AND name = ?2 AND agent_type = ?3
