-- Hours whose events are all deleted. ?1 the newest deleted id.
DELETE FROM hours WHERE last_id <= ?1
