-- Sessions whose events are all deleted, and the names that they had. ?1 the newest deleted id.
DELETE FROM sessions WHERE last_event_id <= ?1
RETURNING agent_type, project, branch, model
