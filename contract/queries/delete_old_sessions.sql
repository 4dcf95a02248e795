-- Sessions whose events are all deleted, and the names that they had. ?1 the newest deleted id, ?2 the keys of the sessions
-- of the deleted blocks, as a JSON array.
DELETE FROM sessions WHERE key IN (SELECT value FROM json_each(?2)) AND last_event_id <= ?1
RETURNING agent_type, project, branch, model
