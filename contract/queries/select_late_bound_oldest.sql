-- The ?4th late row above the time ?1 and the id ?2, oldest time first. Its time is below ?3, in Unix milliseconds, or
-- any for NULL. There is no row when there are fewer. The plus keeps the value from the planner (decision 23).
SELECT created_at + time_shift AS time, id FROM events INDEXED BY late_events_by_time
WHERE late = 1 AND created_at + time_shift >= ?1 AND created_at + time_shift < ifnull(?3, 9007199254740992)
  AND (created_at + time_shift, id) > (?1, ?2)
ORDER BY created_at + time_shift, id LIMIT 1 OFFSET +?4 - 1
