-- Agents that called each of the first ?4 tools of select_tools.sql; NULL as name_id stands for the other tools. Other
-- parameters as in select_totals.sql.
WITH tools AS (
  SELECT s.name AS id, min(row_number() OVER (ORDER BY sum(s.call_count) DESC, n.name), ?4 + 1) AS place
  FROM stats AS s JOIN names AS n ON n.id = s.name
  WHERE s.quarter BETWEEN ?1 AND ?2 AND n.kind = 'tool_name' AND (?3 IS NULL OR s.agent_type = ?3)
  GROUP BY s.name
)
SELECT iif(t.place > ?4, NULL, t.id) AS name_id, n.name, sum(s.call_count) AS count
FROM stats AS s JOIN tools AS t ON t.id = s.name JOIN names AS n ON n.id = s.agent_type
WHERE s.quarter BETWEEN ?1 AND ?2 AND (?3 IS NULL OR s.agent_type = ?3)
GROUP BY t.place, s.agent_type
HAVING count > 0
ORDER BY count DESC, n.name
