-- A second level of summaries, and an index that counts sessions without looking at their rows.
-- Why: a read beside a load finds SQLite's cache empty, so that it costs what it touches (docs/performance.md).

-- Which names the rows have whose id divided by 65536 is this id, as in event_blocks; NULL stands for any, where
-- there are more than limits.event_span_names. A page with a filter looks only into the blocks of such spans.
CREATE TABLE event_spans (
  id    INTEGER PRIMARY KEY,
  names BLOB -- names.id
) STRICT;

INSERT INTO event_spans (id, names)
WITH RECURSIVE places (at) AS (
  SELECT 0 UNION ALL SELECT at + 4 FROM places WHERE at + 4 < (SELECT max(length(names)) FROM event_blocks)
)
SELECT n.id, iif(count(*) > 1024, NULL, unhex(group_concat(n.name, '')))
FROM (
  SELECT DISTINCT b.id >> 8 AS id, hex(substr(b.names, p.at + 1, 4)) AS name
  FROM event_blocks AS b JOIN places AS p ON p.at < length(b.names)
  ORDER BY 1, 2
) AS n
GROUP BY n.id;

DROP INDEX sessions_by_activity;
CREATE INDEX sessions_by_activity ON sessions (last_event_id, last_event_at, ended_at, agent_type);
