-- Those of some names that no sum and no session has; no event has them either. ?1 name ids, as a JSON array. The sums of
-- all time have every quarter but the open one.
WITH
  wanted AS MATERIALIZED (SELECT value AS id FROM json_each(?1)),
  known (quarter) AS MATERIALIZED (
    SELECT 1000000000000000 UNION ALL SELECT value FROM meta WHERE key = 'open_quarter'
  )
DELETE FROM names
WHERE id IN (SELECT id FROM wanted)
  AND NOT EXISTS (SELECT 1 FROM stats AS s WHERE s.quarter IN (SELECT quarter FROM known) AND s.name = names.id)
  AND NOT EXISTS (
    SELECT 1 FROM stats AS s WHERE s.quarter IN (SELECT quarter FROM known) AND s.name = 0 AND s.agent_type = names.id
  )
  AND id NOT IN (
    SELECT agent_type FROM sessions WHERE agent_type IN (SELECT id FROM wanted)
    UNION ALL SELECT project FROM sessions WHERE project IN (SELECT id FROM wanted)
    UNION ALL SELECT branch FROM sessions WHERE branch IN (SELECT id FROM wanted)
    UNION ALL SELECT model FROM sessions WHERE model IN (SELECT id FROM wanted)
  )
