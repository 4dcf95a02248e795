-- ?1: a session is active when its newest event that is not history arrived after this. No event has ended it, and no
-- agent needs an answer. ?2: since in Unix milliseconds, or NULL. ?3: the name id of the agent_type, or NULL. ?4: until in Unix
-- milliseconds, or NULL: only sessions that began before it. The index sessions_by_activity has every column of the second
-- count but started_at, which is read with ?4 alone.
SELECT
  (SELECT count(*) FROM sessions
    WHERE activity > ?1 AND live_at > ?1 AND ended_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM session_waits WHERE session = sessions.key AND needs_answer = 1)
      AND (?2 IS NULL OR last_event_at >= ?2) AND (?3 IS NULL OR agent_type = ?3)
      AND (?4 IS NULL OR (SELECT s.started_at FROM sessions AS s WHERE s.key = sessions.key) < ?4)) AS active_sessions,
  iif(?2 IS NULL AND ?3 IS NULL AND ?4 IS NULL,
    (SELECT count(*) FROM sessions),
    (SELECT count(*) FROM sessions
      WHERE activity >= ifnull(?2, -9007199254740992)
        AND (?2 IS NULL OR last_event_at >= ?2) AND (?3 IS NULL OR agent_type = ?3)
        AND (?4 IS NULL OR (SELECT s.started_at FROM sessions AS s WHERE s.key = sessions.key) < ?4))) AS total_sessions
