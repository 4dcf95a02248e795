-- The waits of sessions whose events are all deleted. ?1 the newest deleted id.
DELETE FROM session_waits WHERE session IN (SELECT key FROM sessions WHERE last_event_id <= ?1)
