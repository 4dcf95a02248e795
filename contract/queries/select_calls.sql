-- Tools by number of calls (rule STA-02): the first ?4, then the sum of the others as a name NULL (rule GET-11). Other
-- parameters as in select_totals.sql.
WITH counted AS (
  SELECT n.name, sum(s.call_count) AS count
  FROM stats AS s JOIN names AS n ON n.id = s.name
  WHERE s.quarter BETWEEN ?1 AND ?2 AND n.kind = 'tool_name' AND (?3 IS NULL OR s.agent_type = ?3)
  GROUP BY s.name
  HAVING count > 0
),
placed AS (SELECT *, min(row_number() OVER (ORDER BY count DESC, name), ?4 + 1) AS place FROM counted)
SELECT iif(place > ?4, NULL, name) AS name, sum(count) AS count
FROM placed
GROUP BY place
ORDER BY place
