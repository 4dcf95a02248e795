-- Agents by number of events: the first ?4, then the sum of the others as a name NULL (rule GET-11). Other parameters as
-- in select_totals.sql.
WITH counted AS (
  SELECT n.name, sum(s.event_count) AS count
  FROM stats AS s JOIN names AS n ON n.id = s.agent_type
  WHERE s.quarter BETWEEN ?1 AND ?2 AND s.name = 0 AND (?3 IS NULL OR s.agent_type = ?3)
  GROUP BY s.agent_type
),
placed AS (SELECT *, min(row_number() OVER (ORDER BY count DESC, name), ?4 + 1) AS place FROM counted)
SELECT iif(place > ?4, NULL, name) AS name, sum(count) AS count
FROM placed
GROUP BY place
ORDER BY place
