-- The ids of the names of the kind :kind with most events, up to :limit of them (rules SER-01 and SER-03). Other
-- parameters as in select_series_sums.sql. The plus keeps the value from the planner (decision 23).
SELECT s.name
FROM stats AS s CROSS JOIN names AS n ON n.id = s.name
WHERE s.quarter >= :since AND s.quarter < :until AND (:agent_type IS NULL OR s.agent_type = :agent_type)
  AND n.kind = +:kind
GROUP BY s.name
ORDER BY sum(iif(:calls, s.call_count, s.event_count)) DESC, n.name
LIMIT +:limit
