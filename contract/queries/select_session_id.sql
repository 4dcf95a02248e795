-- The id of the session with this key.
SELECT session_id FROM sessions WHERE key = ?1
