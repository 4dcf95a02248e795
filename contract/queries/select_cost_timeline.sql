-- Generated from contract/figures.json.
-- Hourly buckets, oldest first, without those in which nothing came. ?1 the first quarter, ?2 the last
-- quarter, ?3 agent_type by number or NULL, ?4 how many of the newest. Each step finds the hour before, so that older
-- quarters are not read. The plus keeps the value from the planner (decision 23).
WITH RECURSIVE hours (hour, place) AS (
  SELECT ?2 + 1, 0
  UNION ALL
  SELECT
    (
      SELECT quarter / 3600 * 3600 FROM stats
      WHERE quarter >= ?1 AND quarter < h.hour AND name = 0 AND (?3 IS NULL OR agent_type = ?3)
      ORDER BY quarter DESC LIMIT 1
    ),
    h.place + 1
  FROM hours AS h WHERE h.hour IS NOT NULL AND h.place < +?4
)
SELECT
  h.hour,
  strftime('%Y-%m-%dT%H:%M:%fZ', h.hour, 'unixepoch') AS bucket,
  min(total(cost_nanos), 9223372036854775808.0) / 1e9 AS cost_usd,
  min(total(computed_cost_nanos), 9223372036854775808.0) / 1e9 AS computed_cost_usd,
  min(total(unpriced_tokens), 9223372036854775808.0) AS unpriced_tokens,
  min(total(tokens_in), 9223372036854775808.0) AS tokens_in,
  min(total(tokens_out), 9223372036854775808.0) AS tokens_out,
  sum(event_count) AS event_count
FROM hours AS h
CROSS JOIN stats AS s ON s.quarter BETWEEN max(h.hour, ?1) AND min(h.hour + 3599, ?2) AND s.name = 0
WHERE h.place > 0 AND (?3 IS NULL OR s.agent_type = ?3)
GROUP BY h.hour
ORDER BY h.hour
