-- A page of rows, newest first. ?1 above this id, ?2 below this id, ?3 how many, ?4 … ?11 names by number or NULL
-- for any, ?12 and ?13 since (inclusive) and until (exclusive) in Unix milliseconds or NULL, ?14 the session's key
-- in the statement for one session, NULL here.
SELECT v.*
FROM events AS e CROSS JOIN events_readable AS v ON v.id = e.id
WHERE e.id > iif(?12 IS NULL, ?1, max(?1, ifnull((SELECT min(first_id) - 1 FROM hours WHERE hour > ?12 / 1000 - 3600), ?2)))
  AND e.id < iif(?13 IS NULL, ?2, min(?2, ifnull((SELECT max(last_id) + 1 FROM hours WHERE hour <= ?13 / 1000), ?1)))
  AND ?14 IS NULL
  AND (?4 IS NULL OR e.agent_type = ?4)
  AND (?5 IS NULL OR e.event_type = ?5)
  AND (?6 IS NULL OR e.tool_name = ?6)
  AND (?7 IS NULL OR e.status = ?7)
  AND (?8 IS NULL OR e.branch = ?8)
  AND (?9 IS NULL OR e.project = ?9)
  AND (?10 IS NULL OR e.model = ?10)
  AND (?11 IS NULL OR e.source = ?11)
  AND (?12 IS NULL OR e.created_at >= ?12)
  AND (?13 IS NULL OR e.created_at < ?13)
ORDER BY e.id DESC
LIMIT ?3
