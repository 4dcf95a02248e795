-- Whether an event with the name ?1 has the agent ?2. ?3 is the quarter of the sums of all time, ?4 the open quarter.
SELECT EXISTS (SELECT 1 FROM stats WHERE quarter IN (?3, ?4) AND name = ?1 AND agent_type = ?2)
