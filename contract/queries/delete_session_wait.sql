-- Ends the wait of one agent. ?1 the session's key, ?2 the agent_id, empty for the main agent.
DELETE FROM session_waits WHERE session = ?1 AND agent_id = ?2
