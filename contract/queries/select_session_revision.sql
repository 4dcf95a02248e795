-- The revision of session:<id> (rule SYN-01). ?1 its session_id.
SELECT last_event_id FROM sessions WHERE session_id = ?1
