-- The sums of a name and agent in an hour, or of all time. ?1 hour, ?2 name, ?3 agent_type.
DELETE FROM stats WHERE hour = ?1 AND name = ?2 AND agent_type = ?3
