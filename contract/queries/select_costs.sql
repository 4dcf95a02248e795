-- Generated from contract/figures.json.
-- Cost by names of one kind (?4), by number of events. First ?5 names, then the sum of the others as a
-- name NULL (rule GET-11). ?1, ?2, ?3 as in select_totals.sql. The plus keeps the value from the planner (decision 23).
WITH counted AS (
  SELECT
    n.name,
    total(s.cost_nanos) AS cost_nanos,
    total(s.computed_cost_nanos) AS computed_cost_nanos,
    total(s.unpriced_tokens) AS unpriced_tokens,
    total(s.tokens_in) AS tokens_in,
    total(s.tokens_out) AS tokens_out,
    sum(s.event_count) AS event_count
  FROM stats AS s JOIN names AS n ON n.id = s.name
  WHERE s.quarter BETWEEN ?1 AND ?2 AND n.kind = +?4 AND (?3 IS NULL OR s.agent_type = ?3)
  GROUP BY s.name
),
placed AS (SELECT *, min(row_number() OVER (ORDER BY event_count DESC, name), ?5 + 1) AS place FROM counted)
SELECT
  iif(place > ?5, NULL, name) AS name,
  min(total(cost_nanos), 9223372036854775808.0) / 1e9 AS cost_usd,
  min(total(computed_cost_nanos), 9223372036854775808.0) / 1e9 AS computed_cost_usd,
  min(total(unpriced_tokens), 9223372036854775808.0) AS unpriced_tokens,
  min(total(tokens_in), 9223372036854775808.0) AS tokens_in,
  min(total(tokens_out), 9223372036854775808.0) AS tokens_out,
  sum(event_count) AS event_count
FROM placed
GROUP BY place
ORDER BY place
