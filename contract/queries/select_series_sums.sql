-- Generated from contract/figures.json.
-- Stored sums of one bucket of time, of every event or of those with one name, and by agent when asked
-- for (rule SER-03). :since and :until are quarters of an hour in Unix seconds, until exclusive. :name is a name id, 0 for
-- every event. :agent_type is a name id, or NULL for any. :by_agent and :calls are 1 or 0: whether the name is that of the
-- agent, whether only calls count. The plus keeps the value from the planner (decision 23).
WITH RECURSIVE quarters (quarter) AS (
  SELECT min(quarter) FROM stats WHERE quarter >= :since AND quarter < :until
  UNION ALL
  SELECT (SELECT min(s.quarter) FROM stats AS s WHERE s.quarter > q.quarter AND s.quarter < :until)
  FROM quarters AS q WHERE q.quarter IS NOT NULL
)
SELECT
  iif(:by_agent, s.agent_type, 0) AS name,
  sum(iif(:calls, s.call_count, s.event_count)) AS event_count,
  sum(s.error_count) AS error_count,
  sum(s.duration_count) AS duration_count,
  total(s.duration_ms) AS duration_ms,
  total(s.tokens_in) AS tokens_in,
  total(s.tokens_out) AS tokens_out,
  total(s.cost_nanos) AS cost_nanos,
  total(s.computed_cost_nanos) AS computed_cost_nanos,
  total(s.unpriced_tokens) AS unpriced_tokens
FROM quarters AS q CROSS JOIN stats AS s ON s.quarter = q.quarter AND s.name = +:name
WHERE :agent_type IS NULL OR s.agent_type = :agent_type
GROUP BY 1
