-- The reported and computed cost of a day in US dollars, and its tokens without a price (rule NOT-05). ?1 its beginning and ?2 its end in Unix seconds.
WITH RECURSIVE day (quarter) AS (
  SELECT CAST(?1 AS INTEGER)
  UNION ALL
  SELECT quarter + 900 FROM day WHERE quarter < ?2 - 900
)
SELECT
  (total(t.cost_nanos) + total(t.computed_cost_nanos)) / 1e9 AS usd,
  CAST(min(total(t.unpriced_tokens), 9007199254740991.0) AS INTEGER) AS unpriced_tokens
FROM day
CROSS JOIN stats AS t ON t.quarter = day.quarter AND t.name = 0
