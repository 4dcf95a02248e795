-- The revision of session:<id> (rule SYN-01). ?1 its session_id.
SELECT max(last_event_id, (SELECT value FROM meta WHERE key = 'last_deletion_id')) FROM sessions WHERE session_id = ?1
