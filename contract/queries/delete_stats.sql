-- The sums of a name and agent in a quarter of an hour, or of all time. ?1 quarter, ?2 name, ?3 agent_type.
DELETE FROM stats WHERE quarter = ?1 AND name = ?2 AND agent_type = ?3
