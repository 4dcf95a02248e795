SELECT key FROM sessions WHERE session_id = ?1
