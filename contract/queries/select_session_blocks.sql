-- Blocks with events of a session, oldest first. ?1 the session's key, ?2 the first block, ?3 how many.
-- The plus keeps the value from the planner (decision 23).
SELECT id FROM event_blocks
WHERE id >= max(?2, (SELECT first_event_id >> 8 FROM sessions WHERE key = ?1))
  AND id <= (SELECT last_event_id >> 8 FROM sessions WHERE key = ?1)
  AND instr(sessions, unhex(printf('%08X', ?1)))
ORDER BY id LIMIT +?3
