-- Generated from contract/fields.json. The rows of the block ?1, oldest first. Each has its place in the block, its
-- metadata, whether that stands in the row, and what else q searches but UUIDs (rule GET-13).
SELECT
  e.id & 255 AS place,
  coalesce(
    e.metadata,
    (SELECT t.metadata FROM event_texts AS t WHERE t.id = e.id),
    sealed_text(e.id, iif(has_block(e.id), NULL, (SELECT s.texts FROM sealed_texts AS s WHERE s.id = e.id >> 8)))
  ) AS metadata,
  e.metadata IS NOT NULL AS is_inline,
  concat_ws(char(0),
    (SELECT n.name FROM names AS n WHERE n.id = e.agent_type),
    (SELECT n.name FROM names AS n WHERE n.id = e.tool_name),
    (SELECT n.name FROM names AS n WHERE n.id = e.branch),
    (SELECT n.name FROM names AS n WHERE n.id = e.project),
    (SELECT n.name FROM names AS n WHERE n.id = e.model),
    (SELECT n.name FROM names AS n WHERE n.id = e.source_event),
    (SELECT n.name FROM names AS n WHERE n.id = e.service_tier),
    (SELECT n.name FROM names AS n WHERE n.id = e.subagent),
    (SELECT n.name FROM names AS n WHERE n.id = e.skill),
    (SELECT n.name FROM names AS n WHERE n.id = e.mcp_server),
    (SELECT n.name FROM names AS n WHERE n.id = e.host),
    (SELECT s.session_id FROM sessions AS s WHERE s.key = e.session),
    e.call_id,
    e.agent_id,
    e.response_id,
    CASE typeof(e.event_id) WHEN 'text' THEN e.event_id END
  ) AS others
FROM events AS e
WHERE e.id BETWEEN ?1 << 8 AND (?1 << 8) + 255
ORDER BY e.id
