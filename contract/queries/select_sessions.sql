-- Generated from contract/figures.json.
-- A page of sessions, newest activity first. The statement derives a session's status (rule SES-02).
-- ?1: a session without an event that arrived after this, and is not history, is idle. ?2: likewise it has ended.
-- ?3 and ?4: below this activity and last_event_id. ?5: how many. ?6: status or NULL. ?7: status to leave out, or NULL.
-- ?8 and ?9: the name ids of agent_type and project, or NULL. ?10: since, or NULL. All times are Unix milliseconds.
-- ?11: a wait that began at this time or before is stale. Of several waits the session shows the first (rule WAI-03).
-- ?12 and ?13: not below this activity and last_event_id. The plus hides the value from the planner (decision 23). The last two
-- columns are the place in the list.
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
    WHEN s.live_at > ?1 THEN 'active'
    WHEN s.live_at > ?2 THEN 'idle'
    ELSE 'ended'
  END AS status,
  w.reason AS waiting_reason,
  strftime('%Y-%m-%dT%H:%M:%fZ', w.since / 1000.0, 'unixepoch') AS waiting_since,
  ifnull(w.needs_answer = 1 AND w.since <= ?11, 0) AS waiting_stale,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.started_at / 1000.0, 'unixepoch') AS started_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.last_event_at / 1000.0, 'unixepoch') AS last_event_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.live_at / 1000.0, 'unixepoch') AS live_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.ended_at / 1000.0, 'unixepoch') AS ended_at,
  s.last_event_id,
  s.event_count,
  s.error_count,
  CAST(s.tokens_in AS REAL) AS tokens_in,
  CAST(s.tokens_out AS REAL) AS tokens_out,
  CAST(s.cache_read_tokens AS REAL) AS cache_read_tokens,
  CAST(s.cache_write_tokens AS REAL) AS cache_write_tokens,
  s.cost_nanos / 1e9 AS total_cost_usd,
  s.computed_cost_nanos / 1e9 AS total_computed_cost_usd,
  CAST(s.unpriced_tokens AS REAL) AS unpriced_tokens,
  s.activity,
  s.last_event_id AS number
FROM sessions AS s
LEFT JOIN session_waits AS w ON w.session = s.key AND s.ended_at IS NULL AND w.agent_id = (
  SELECT f.agent_id FROM session_waits AS f WHERE f.session = s.key
  ORDER BY f.needs_answer DESC, f.event_id LIMIT 1)
WHERE (s.activity, s.last_event_id) < (?3, ?4) AND (s.activity, s.last_event_id) >= (?12, ?13)
  AND (?6 IS NOT 'waiting' OR s.key IN (SELECT session FROM session_waits WHERE needs_answer = 1))
  AND (?8 IS NULL OR s.agent_type = ?8)
  AND (?9 IS NULL OR s.project = ?9)
  AND s.activity >= ifnull(?10, -9007199254740992)
  AND (?10 IS NULL OR s.last_event_at >= ?10)
ORDER BY s.activity DESC, s.last_event_id DESC
)
WHERE (?6 IS NULL OR status = ?6) AND (?7 IS NULL OR status <> ?7)
ORDER BY activity DESC, number DESC
LIMIT +?5
