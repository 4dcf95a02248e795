-- Cost by names of one kind (?4), by number of events. ?1, ?2, ?3 as in select_totals.sql.
-- The plus keeps the value from the planner (decision 23).
SELECT
  n.name,
  min(total(s.cost_nanos), 9223372036854775808.0) / 1e9 AS cost_usd,
  min(total(s.computed_cost_nanos), 9223372036854775808.0) / 1e9 AS computed_cost_usd,
  min(total(s.tokens_in), 9223372036854775808.0) AS tokens_in,
  min(total(s.tokens_out), 9223372036854775808.0) AS tokens_out,
  sum(s.event_count) AS event_count
FROM stats AS s JOIN names AS n ON n.id = s.name
WHERE s.hour BETWEEN ?1 AND ?2 AND n.kind = +?4 AND (?3 IS NULL OR s.agent_type = ?3)
GROUP BY s.name
ORDER BY event_count DESC, n.name
