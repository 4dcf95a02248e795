-- Whether an event with the name ?1 has the agent ?2, by the sums of all time (?3) and of the open hour (?4).
SELECT EXISTS (SELECT 1 FROM stats WHERE hour IN (?3, ?4) AND name = ?1 AND agent_type = ?2)
