-- Generated from contract/figures.json.
-- Tools by number of calls: the first ?4, then the sums of the others as a name NULL (rule GET-11). Other
-- parameters as in select_totals.sql.
WITH counted AS (
  SELECT
    n.name,
    sum(s.call_count) AS call_count,
    sum(s.error_count) AS error_count,
    total(s.duration_ms) AS duration_ms,
    sum(s.duration_count) AS duration_count,
    s.name AS name_id
  FROM stats AS s JOIN names AS n ON n.id = s.name
  WHERE s.quarter BETWEEN ?1 AND ?2 AND n.kind = 'tool_name' AND (?3 IS NULL OR s.agent_type = ?3)
  GROUP BY s.name
  HAVING sum(s.call_count) > 0
),
placed AS (SELECT *, min(row_number() OVER (ORDER BY call_count DESC, name), ?4 + 1) AS place FROM counted)
SELECT
  iif(place > ?4, NULL, name) AS tool_name,
  sum(call_count) AS total_calls,
  sum(error_count) AS error_count,
  round(CAST(sum(error_count) AS REAL) / sum(call_count), 4) AS error_rate,
  iif(sum(duration_count) = 0, NULL, round(min(total(duration_ms), 9223372036854775808.0) / sum(duration_count), 2)) AS avg_duration_ms,
  iif(place > ?4, NULL, name_id) AS name_id
FROM placed
GROUP BY place
ORDER BY place
