-- What notifications need of the events above an id (rule NOT-02). ?1 the id, exclusive. ?2 the newest id, inclusive.
-- A wait counts at the event that began it, while it lasts. History is old (rule TIM-03), so a session began with the
-- arrival of its first event. The cross joins keep the order of the tables.
SELECT
  g.id,
  g.kind,
  g.reason,
  g.at,
  s.key,
  s.session_id,
  (SELECT n.name FROM names AS n WHERE n.id = s.agent_type) AS agent,
  (SELECT n.name FROM names AS n WHERE n.id = s.project) AS project,
  ifnull((SELECT f.created_at FROM events AS f WHERE f.id = s.first_event_id), s.started_at) AS started_at
FROM (
  SELECT e.id, CASE n.name WHEN 'user_prompt' THEN 'prompt' WHEN 'session_end' THEN 'finished' ELSE 'failed' END AS kind,
    NULL AS reason, e.created_at AS at, e.session
  FROM events AS e
  CROSS JOIN names AS n ON n.id = e.event_type
  WHERE e.id > ?1 AND e.id <= ?2 AND n.name IN ('user_prompt', 'session_end', 'error')
    AND e.history = 0
  UNION ALL
  SELECT w.event_id, iif(w.needs_answer = 1, 'waiting', 'finished'), w.reason, w.since, w.session
  FROM session_waits AS w
  CROSS JOIN sessions AS c ON c.key = w.session
  WHERE c.ended_at IS NULL
    AND w.event_id > ?1 AND w.event_id <= ?2 AND (w.needs_answer = 1 OR w.agent_id = '')
) AS g
CROSS JOIN sessions AS s ON s.key = g.session
ORDER BY g.id, g.kind
