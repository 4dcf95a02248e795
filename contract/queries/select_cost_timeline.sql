-- Generated from contract/figures.json.
-- Hourly buckets, oldest first, without those in which nothing came. ?1 the first quarter, ?2 the last
-- quarter, ?3 agent_type by number or NULL, ?4 how many of the newest.
-- The plus keeps the value from the planner (decision 23).
SELECT * FROM (
  SELECT
    quarter / 3600 * 3600 AS hour,
    strftime('%Y-%m-%dT%H:%M:%fZ', quarter / 3600 * 3600, 'unixepoch') AS bucket,
    min(total(cost_nanos), 9223372036854775808.0) / 1e9 AS cost_usd,
    min(total(computed_cost_nanos), 9223372036854775808.0) / 1e9 AS computed_cost_usd,
    min(total(tokens_in), 9223372036854775808.0) AS tokens_in,
    min(total(tokens_out), 9223372036854775808.0) AS tokens_out,
    sum(event_count) AS event_count
  FROM stats
  WHERE quarter BETWEEN ?1 AND ?2 AND name = 0 AND (?3 IS NULL OR agent_type = ?3)
  GROUP BY 1
  ORDER BY hour DESC
  LIMIT +?4
)
ORDER BY hour
