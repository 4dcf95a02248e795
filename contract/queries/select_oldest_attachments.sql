-- The attachments of the events up to ?1, oldest first. ?2: at most so many.
-- The plus keeps the value from the planner (decision 23).
SELECT event, name, sha256, size FROM attachments WHERE event <= ?1 ORDER BY event, name LIMIT +?2
