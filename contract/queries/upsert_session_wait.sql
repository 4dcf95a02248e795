-- Begins a wait of one agent, or changes its reason (rule WAI-02).
-- ?1: the session's key. ?2: the agent_id, empty for the main agent. ?3: the reason. ?4: whether it needs an answer.
-- ?5: now in Unix milliseconds. ?6: the event's id. ?7: whether this is a reminder, which changes nothing while an agent
-- of the session needs an answer.
INSERT INTO session_waits (session, agent_id, reason, needs_answer, since, event_id)
SELECT ?1, ?2, ?3, ?4, ?5, ?6
WHERE NOT (?7 AND EXISTS (SELECT 1 FROM session_waits WHERE session = ?1 AND needs_answer = 1))
ON CONFLICT (session, agent_id) DO UPDATE SET
  reason       = excluded.reason,
  since        = iif(needs_answer = excluded.needs_answer, since, excluded.since),
  event_id     = iif(needs_answer = excluded.needs_answer, event_id, excluded.event_id),
  needs_answer = excluded.needs_answer
