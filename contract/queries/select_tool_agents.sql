-- Agents that called each tool; name_id as in select_tools.sql. Parameters as in select_totals.sql.
SELECT s.name AS name_id, n.name, sum(s.call_count) AS count
FROM stats AS s JOIN names AS n ON n.id = s.agent_type JOIN names AS t ON t.id = s.name
WHERE s.hour BETWEEN ?1 AND ?2 AND t.kind = 'tool_name' AND (?3 IS NULL OR s.agent_type = ?3)
GROUP BY s.name, s.agent_type
HAVING count > 0
ORDER BY count DESC, n.name
