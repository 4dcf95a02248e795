-- A session without events, and the names that it had. ?1 its key.
DELETE FROM sessions WHERE key = ?1
RETURNING agent_type, project, branch, model
