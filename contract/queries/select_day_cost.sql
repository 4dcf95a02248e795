-- The reported and computed cost of a day in US dollars (rule NOT-05). ?1 its beginning in Unix seconds.
WITH RECURSIVE day (hour) AS (
  SELECT CAST(?1 AS INTEGER)
  UNION ALL
  SELECT hour + 3600 FROM day WHERE hour < ?1 + 82800
)
SELECT (total(t.cost_nanos) + total(t.computed_cost_nanos)) / 1e9
FROM day
CROSS JOIN stats AS t ON t.hour = day.hour AND t.name = 0
