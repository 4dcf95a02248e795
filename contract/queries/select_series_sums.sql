-- Generated from contract/figures.json.
-- Stored sums by hour, of every event or of those with one name, and by agent when asked for (rule SER-03).
-- :since and :until are hours in Unix seconds, until exclusive. :name is a name id, 0 for every event. :agent_type is a
-- name id, or NULL for any. :by_agent and :calls are 1 or 0: whether the name is that of the agent, whether only calls
-- count. The plus keeps the value from the planner (decision 23).
SELECT
  h.hour * 1000 AS bucket,
  iif(:by_agent, s.agent_type, 0) AS name,
  sum(iif(:calls, s.call_count, s.event_count)) AS event_count,
  sum(s.error_count) AS error_count,
  sum(s.duration_count) AS duration_count,
  total(s.duration_ms) AS duration_ms,
  total(s.tokens_in) AS tokens_in,
  total(s.tokens_out) AS tokens_out,
  total(s.cost_nanos) AS cost_nanos,
  total(s.computed_cost_nanos) AS computed_cost_nanos
FROM hours AS h CROSS JOIN stats AS s ON s.hour = h.hour AND s.name = +:name
WHERE h.hour >= :since AND (:until IS NULL OR h.hour < :until) AND (:agent_type IS NULL OR s.agent_type = :agent_type)
GROUP BY h.hour, 2
