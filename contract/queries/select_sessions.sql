-- Generated from contract/figures.json.
-- A page of sessions, newest activity first. The statement derives a session's status (rule SES-02).
-- ?1: a session whose newest event is not after this is idle. ?2: one whose newest event is not after this has ended.
-- ?3: below this last_event_id. ?4: how many. ?5: status or NULL. ?6: status to leave out, or NULL.
-- ?7 and ?8: the name ids of agent_type and project, or NULL. ?9: since, or NULL. All times are Unix milliseconds.
-- ?10: a wait that began at this time or before is stale. Of several waits the session shows the first (rule WAI-03).
-- ?11: not below this last_event_id. The plus hides the value from the planner (decision 23).
SELECT * FROM (
SELECT
  s.session_id AS id,
  (SELECT n.name FROM names AS n WHERE n.id = s.agent_type) AS agent_type,
  (SELECT n.name FROM names AS n WHERE n.id = s.project) AS project,
  (SELECT n.name FROM names AS n WHERE n.id = s.branch) AS branch,
  (SELECT n.name FROM names AS n WHERE n.id = s.model) AS model,
  CASE
    WHEN s.ended_at IS NOT NULL THEN 'ended'
    WHEN w.needs_answer = 1 THEN 'waiting'
    WHEN s.last_event_at <= ?2 THEN 'ended'
    WHEN s.last_event_at <= ?1 THEN 'idle'
    ELSE 'active'
  END AS status,
  w.reason AS waiting_reason,
  strftime('%Y-%m-%dT%H:%M:%fZ', w.since / 1000.0, 'unixepoch') AS waiting_since,
  ifnull(w.needs_answer = 1 AND w.since <= ?10, 0) AS waiting_stale,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.started_at / 1000.0, 'unixepoch') AS started_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.last_event_at / 1000.0, 'unixepoch') AS last_event_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.ended_at / 1000.0, 'unixepoch') AS ended_at,
  s.last_event_id,
  s.event_count,
  s.error_count,
  CAST(s.tokens_in AS REAL) AS tokens_in,
  CAST(s.tokens_out AS REAL) AS tokens_out,
  CAST(s.cache_read_tokens AS REAL) AS cache_read_tokens,
  CAST(s.cache_write_tokens AS REAL) AS cache_write_tokens,
  s.cost_nanos / 1e9 AS total_cost_usd,
  s.computed_cost_nanos / 1e9 AS total_computed_cost_usd
FROM sessions AS s
LEFT JOIN session_waits AS w ON w.session = s.key AND s.ended_at IS NULL AND w.agent_id = (
  SELECT f.agent_id FROM session_waits AS f WHERE f.session = s.key
  ORDER BY f.needs_answer DESC, f.event_id LIMIT 1)
WHERE s.last_event_id < ?3 AND s.last_event_id >= ?11
  AND (?5 IS NOT 'waiting' OR s.key IN (SELECT session FROM session_waits WHERE needs_answer = 1))
  AND (?7 IS NULL OR s.agent_type = ?7)
  AND (?8 IS NULL OR s.project = ?8)
  AND (?9 IS NULL OR s.last_event_at >= ?9)
  AND (?9 IS NULL OR s.last_event_id >= ifnull((SELECT min(first_id) FROM hours WHERE hour > ?9 / 1000 - 3600), ?3))
ORDER BY s.last_event_id DESC
)
WHERE (?5 IS NULL OR status = ?5) AND (?6 IS NULL OR status <> ?6)
ORDER BY last_event_id DESC
LIMIT +?4
