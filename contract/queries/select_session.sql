-- Generated from contract/figures.json.
-- One session. ?1 and ?2 as in select_sessions.sql, ?3 its session_id, ?4 as ?10 there.
-- The plus keeps the value from the planner (decision 23).
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
  ifnull(w.needs_answer = 1 AND w.since <= ?4, 0) AS waiting_stale,
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
  CAST(s.unpriced_tokens AS REAL) AS unpriced_tokens
FROM sessions AS s
LEFT JOIN session_waits AS w ON w.session = s.key AND s.ended_at IS NULL AND w.agent_id = (
  SELECT f.agent_id FROM session_waits AS f WHERE f.session = s.key
  ORDER BY f.needs_answer DESC, f.event_id LIMIT 1)
WHERE s.session_id = +?3
