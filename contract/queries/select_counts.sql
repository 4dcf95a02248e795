-- Names of one kind (?4) by number of events: the first ?5, then the sum of the others as a name NULL (rule GET-11). ?1,
-- ?2, ?3 as in select_totals.sql. The plus keeps the value from the planner (decision 23).
WITH counted AS (
  SELECT n.name, sum(s.event_count) AS count
  FROM stats AS s JOIN names AS n ON n.id = s.name
  WHERE s.quarter BETWEEN ?1 AND ?2 AND n.kind = +?4 AND (?3 IS NULL OR s.agent_type = ?3)
  GROUP BY s.name
),
placed AS (SELECT *, min(row_number() OVER (ORDER BY count DESC, name), ?5 + 1) AS place FROM counted)
SELECT iif(place > ?5, NULL, name) AS name, sum(count) AS count
FROM placed
GROUP BY place
ORDER BY place
