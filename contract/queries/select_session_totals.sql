-- ?1: a session is active when its newest event is after this and did not end it, and no agent needs an answer.
-- ?2: since in Unix milliseconds, or NULL. ?3: the name id of the agent_type, or NULL. The hours bound the search; the index sessions_by_activity has every column here.
SELECT
  (SELECT count(*) FROM sessions
    WHERE last_event_id >= ifnull((SELECT min(first_id) FROM hours WHERE hour > ?1 / 1000 - 3600), 9007199254740992)
      AND last_event_at > ?1 AND ended_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM session_waits WHERE session = sessions.key AND needs_answer = 1)
      AND (?2 IS NULL OR last_event_at >= ?2) AND (?3 IS NULL OR agent_type = ?3)) AS active_sessions,
  iif(?2 IS NULL AND ?3 IS NULL,
    (SELECT count(*) FROM sessions),
    (SELECT count(*) FROM sessions
      WHERE last_event_id >= iif(?2 IS NULL, 0, ifnull((SELECT min(first_id) FROM hours WHERE hour > ?2 / 1000 - 3600), 9007199254740992))
        AND (?2 IS NULL OR last_event_at >= ?2) AND (?3 IS NULL OR agent_type = ?3))) AS total_sessions
