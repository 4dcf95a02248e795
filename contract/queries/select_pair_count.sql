-- The number of pairs of a name of the kind ?1 and an agent. ?2 is the hour of the sums of all time, ?3 the open hour.
SELECT count(*) FROM (
  SELECT DISTINCT s.name, s.agent_type
  FROM names AS n JOIN stats AS s ON s.hour IN (?2, ?3) AND s.name = n.id
  WHERE n.kind = ?1
)
