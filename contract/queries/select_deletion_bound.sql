-- The id up to which the oldest events can be deleted in one step; NULL when there is nothing to delete. ?1: only events
-- below this id. ?2: at most so many. ?3: only older ones, Unix milliseconds, or NULL. An event goes only after all before it.
-- The plus keeps the value from the planner (decision 23).
WITH oldest AS MATERIALIZED (SELECT id, created_at FROM events WHERE id < ?1 ORDER BY id LIMIT +?2)
SELECT CASE
  WHEN (SELECT min(id) FROM oldest WHERE created_at >= ?3) IS NULL THEN (SELECT max(id) FROM oldest)
  ELSE (SELECT max(id) FROM oldest WHERE id < (SELECT min(id) FROM oldest WHERE created_at >= ?3))
END
