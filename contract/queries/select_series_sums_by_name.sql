-- Generated from contract/figures.json.
-- Stored sums of one bucket of time by name of the kind :kind (rule SER-03). :names are the name ids of
-- their own, as a JSON array; all others together have the name 0. Other parameters as in select_series_sums.sql.
SELECT
  iif(s.name IN (SELECT value FROM json_each(:names)), s.name, 0) AS name,
  sum(iif(:calls, s.call_count, s.event_count)) AS event_count,
  sum(s.error_count) AS error_count,
  sum(s.duration_count) AS duration_count,
  total(s.duration_ms) AS duration_ms,
  total(s.tokens_in) AS tokens_in,
  total(s.tokens_out) AS tokens_out,
  total(s.cost_nanos) AS cost_nanos,
  total(s.computed_cost_nanos) AS computed_cost_nanos,
  total(s.unpriced_tokens) AS unpriced_tokens
FROM stats AS s CROSS JOIN names AS n ON n.id = s.name
WHERE s.quarter >= :since AND s.quarter < :until AND (:agent_type IS NULL OR s.agent_type = :agent_type)
  AND n.kind = +:kind
GROUP BY 1
