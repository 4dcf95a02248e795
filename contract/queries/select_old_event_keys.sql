-- Of a file of schema 1, in the step to schema 2, page by page: above ?1 (an empty text at first), ?2 at most.
-- The plus keeps the value from the planner (decision 23).
SELECT event_id FROM event_keys WHERE event_id > ?1 ORDER BY event_id LIMIT +?2
