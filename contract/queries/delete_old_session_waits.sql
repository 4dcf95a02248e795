-- The waits of sessions whose events are all deleted. ?1 the newest deleted id.
DELETE FROM session_waits WHERE (SELECT s.last_event_id FROM sessions AS s WHERE s.key = session) <= ?1
