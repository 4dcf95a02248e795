-- Agents by number of events. Parameters as in select_totals.sql.
SELECT n.name, sum(s.event_count) AS count
FROM stats AS s JOIN names AS n ON n.id = s.agent_type
WHERE s.hour BETWEEN ?1 AND ?2 AND s.name = 0 AND (?3 IS NULL OR s.agent_type = ?3)
GROUP BY s.agent_type
ORDER BY count DESC, n.name
