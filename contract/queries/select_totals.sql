-- Generated from contract/figures.json.
-- The figures of GET /api/stats. ?1 the first quarter, ?2 the last quarter, ?3 agent_type by number or
-- NULL. All time is from the open quarter to the quarter of its sums.
SELECT
  ifnull(sum(event_count), 0) AS total_events,
  min(total(tokens_in), 9223372036854775808.0) AS total_tokens_in,
  min(total(tokens_out), 9223372036854775808.0) AS total_tokens_out,
  min(total(cost_nanos), 9223372036854775808.0) / 1e9 AS total_cost_usd,
  min(total(computed_cost_nanos), 9223372036854775808.0) / 1e9 AS total_computed_cost_usd,
  min(total(unpriced_tokens), 9223372036854775808.0) AS total_unpriced_tokens,
  ifnull(sum(error_count), 0) AS total_errors
FROM stats
WHERE quarter BETWEEN ?1 AND ?2 AND name = 0 AND (?3 IS NULL OR agent_type = ?3)
