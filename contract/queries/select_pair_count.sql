-- The number of pairs of a name of the kind ?1 and an agent. ?2 is the quarter of the sums of all time, ?3 the open
-- quarter.
-- The plus keeps the kind from the planner (decision 23).
SELECT count(*) FROM (
  SELECT DISTINCT s.name, s.agent_type
  FROM names AS n JOIN stats AS s ON s.quarter IN (?2, ?3) AND s.name = n.id
  WHERE n.kind = +?1
)
