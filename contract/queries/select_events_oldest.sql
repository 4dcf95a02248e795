-- A page of rows, oldest first. ?1 above this id, ?2 below this id, ?3 how many, ?4 … ?11 names by number or NULL
-- for any, ?12 and ?13 since (inclusive) and until (exclusive) in Unix milliseconds or NULL, ?14 the key of a session
-- or NULL. Only spans of 65,536 rows are looked into, and of these blocks of 256, whose summary has every wanted
-- number.
-- The plus keeps the value from the planner (decision 23).
WITH bounds (above, below) AS (
  SELECT
    max(
      ?1,
      iif(?12 IS NULL, ?1, ifnull((SELECT min(first_id) - 1 FROM hours WHERE hour > ?12 / 1000 - 3600), ?2)),
      iif(?14 IS NULL, ?1, (SELECT first_event_id - 1 FROM sessions WHERE key = ?14))
    ),
    min(
      ?2,
      iif(?13 IS NULL, ?2, ifnull((SELECT max(last_id) + 1 FROM hours WHERE hour <= ?13 / 1000), ?1)),
      iif(?14 IS NULL, ?2, (SELECT last_event_id + 1 FROM sessions WHERE key = ?14))
    )
)
SELECT v.*
FROM event_spans AS s CROSS JOIN event_blocks AS b CROSS JOIN events AS e CROSS JOIN events_readable AS v ON v.id = e.id
WHERE s.id BETWEEN (SELECT above FROM bounds) >> 16 AND (SELECT below FROM bounds) >> 16
  AND (?4 IS NULL OR s.names IS NULL OR instr(s.names, unhex(printf('%08X', ?4))))
  AND (?5 IS NULL OR s.names IS NULL OR instr(s.names, unhex(printf('%08X', ?5))))
  AND (?6 IS NULL OR s.names IS NULL OR instr(s.names, unhex(printf('%08X', ?6))))
  AND (?7 IS NULL OR s.names IS NULL OR instr(s.names, unhex(printf('%08X', ?7))))
  AND (?8 IS NULL OR s.names IS NULL OR instr(s.names, unhex(printf('%08X', ?8))))
  AND (?9 IS NULL OR s.names IS NULL OR instr(s.names, unhex(printf('%08X', ?9))))
  AND (?10 IS NULL OR s.names IS NULL OR instr(s.names, unhex(printf('%08X', ?10))))
  AND (?11 IS NULL OR s.names IS NULL OR instr(s.names, unhex(printf('%08X', ?11))))
  AND b.id BETWEEN max(s.id * 256, (SELECT above FROM bounds) >> 8)
    AND min(s.id * 256 + 255, (SELECT below FROM bounds) >> 8)
  AND (?4 IS NULL OR instr(b.names, unhex(printf('%08X', ?4))))
  AND (?5 IS NULL OR instr(b.names, unhex(printf('%08X', ?5))))
  AND (?6 IS NULL OR instr(b.names, unhex(printf('%08X', ?6))))
  AND (?7 IS NULL OR instr(b.names, unhex(printf('%08X', ?7))))
  AND (?8 IS NULL OR instr(b.names, unhex(printf('%08X', ?8))))
  AND (?9 IS NULL OR instr(b.names, unhex(printf('%08X', ?9))))
  AND (?10 IS NULL OR instr(b.names, unhex(printf('%08X', ?10))))
  AND (?11 IS NULL OR instr(b.names, unhex(printf('%08X', ?11))))
  AND (?14 IS NULL OR instr(b.sessions, unhex(printf('%08X', ?14))))
  AND e.id > max(b.id * 256 - 1, (SELECT above FROM bounds))
  AND e.id < min(b.id * 256 + 256, (SELECT below FROM bounds))
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
  AND (?14 IS NULL OR e.session = ?14)
ORDER BY s.id ASC, b.id ASC, e.id ASC
LIMIT +?3
