-- Ends the waits of all agents of a session. ?1 the session's key.
DELETE FROM session_waits WHERE session = ?1
