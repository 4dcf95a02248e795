-- Sessions whose events are all deleted. ?1 the newest deleted id.
DELETE FROM sessions WHERE last_event_id <= ?1
