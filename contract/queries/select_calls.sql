-- Tools by number of calls (rule STA-02). Parameters as in select_totals.sql.
SELECT n.name, sum(s.call_count) AS count
FROM stats AS s JOIN names AS n ON n.id = s.name
WHERE s.hour BETWEEN ?1 AND ?2 AND n.kind = 'tool_name' AND (?3 IS NULL OR s.agent_type = ?3)
GROUP BY s.name
HAVING count > 0
ORDER BY count DESC, n.name
