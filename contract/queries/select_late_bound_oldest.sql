-- The ?4th late row above the time ?1 and the id ?2, oldest time first. Its time is below ?3, in Unix milliseconds, or
-- any for NULL. There is no row when there are fewer. The plus keeps the value from the planner (decision 23).
SELECT time, id FROM events INDEXED BY late_events_by_time
WHERE late = 1 AND (time, id) > (?1, ?2) AND time < ifnull(?3, 9007199254740992)
ORDER BY time, id LIMIT 1 OFFSET +?4 - 1
