-- Hours whose events are all deleted. ?1 the newest deleted id. The end of the open hour is the newest event.
DELETE FROM hours WHERE min(last_id, (SELECT ifnull(max(id), 0) FROM events)) <= ?1
