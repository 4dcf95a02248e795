-- The beginning of the oldest of the newest ?3 units of time that have events (rule SER-02). It is in Unix seconds, and
-- NULL without such units. ?1 the seconds of a unit, whole hours. ?2 only hours below this one, in Unix seconds, or NULL.
-- The plus keeps the value from the planner (decision 23).
SELECT min(unit) FROM (
  SELECT DISTINCT hour / CAST(?1 AS INTEGER) * CAST(?1 AS INTEGER) AS unit FROM (
    SELECT hour FROM hours WHERE ?2 IS NULL OR hour < ?2 ORDER BY hour DESC LIMIT +?3 * (?1 / 3600)
  )
  ORDER BY unit DESC
  LIMIT +?3
)
