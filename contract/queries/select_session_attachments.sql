-- The attachments of a session's events in a block, oldest first. ?1 the session's key, ?2 the block, ?3: at most so many.
-- The plus keeps the value from the planner (decision 23).
SELECT event, name, sha256, size FROM attachments
WHERE event IN (SELECT id FROM events WHERE id BETWEEN ?2 << 8 AND (?2 << 8) + 255 AND session = ?1)
ORDER BY event, name LIMIT +?3
