-- Tools by number of calls. Parameters as in select_totals.sql.
SELECT
  n.name AS tool_name,
  sum(s.call_count) AS total_calls,
  sum(s.error_count) AS error_count,
  round(CAST(sum(s.error_count) AS REAL) / sum(s.call_count), 4) AS error_rate,
  iif(sum(s.duration_count) = 0, NULL, round(min(total(s.duration_ms), 9223372036854775808.0) / sum(s.duration_count), 2)) AS avg_duration_ms,
  s.name AS name_id
FROM stats AS s JOIN names AS n ON n.id = s.name
WHERE s.hour BETWEEN ?1 AND ?2 AND n.kind = 'tool_name' AND (?3 IS NULL OR s.agent_type = ?3)
GROUP BY s.name
HAVING total_calls > 0
ORDER BY total_calls DESC, n.name
