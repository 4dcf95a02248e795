-- How many events have an id above ?1 and up to ?2, counted up to ?3.
-- The plus keeps the value from the planner (decision 23).
SELECT count(*) FROM (SELECT 1 FROM events WHERE id > ?1 AND id <= ?2 LIMIT +?3)
