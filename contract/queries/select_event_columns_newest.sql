-- Generated from contract/fields.json. A page of rows, newest first. :above and :below bound the ids, :limit is how many.
-- :since (inclusive) and :until (exclusive) are Unix milliseconds, :session is the key of a session. A filter is a name
-- id or a text. NULL stands for any. Only spans of 65,536 rows are read, and of these only blocks of 256, whose summary
-- has every wanted number.
-- The columns are those of a row in its order, but for schema_version. Names and sessions are ids, times are Unix
-- milliseconds, an event_id of 16 bytes is a UUID.
-- The plus keeps the value from the planner (decision 23).
WITH bounds (above, below) AS (
  SELECT
    max(
      :above,
      iif(:since IS NULL, :above, ifnull((SELECT min(first_id) - 1 FROM hours WHERE hour > :since / 1000 - 3600), :below)),
      iif(:session IS NULL, :above, (SELECT first_event_id - 1 FROM sessions WHERE key = :session))
    ),
    min(
      :below,
      iif(:until IS NULL, :below, ifnull((SELECT max(last_id) + 1 FROM hours WHERE hour <= :until / 1000), :above)),
      iif(:session IS NULL, :below, (SELECT last_event_id + 1 FROM sessions WHERE key = :session))
    )
)
SELECT
  e.id, e.event_id, e.session, e.agent_type, e.event_type, e.tool_name, e.status, e.tokens_in, e.tokens_out,
  e.cache_read_tokens, e.cache_write_tokens, e.branch, e.project, e.duration_ms, e.model, e.cost_nanos,
  e.computed_cost_nanos, e.source, e.source_event, e.call_id, e.agent_id, e.client_timestamp, e.created_at,
  e.payload_truncated, e.metadata
FROM event_spans AS s CROSS JOIN event_blocks AS b CROSS JOIN events AS e
WHERE s.id BETWEEN (SELECT above FROM bounds) >> 16 AND (SELECT below FROM bounds) >> 16
  AND (:agent_type IS NULL OR s.names IS NULL OR instr(s.names, unhex(printf('%08X', :agent_type))))
  AND (:event_type IS NULL OR s.names IS NULL OR instr(s.names, unhex(printf('%08X', :event_type))))
  AND (:tool_name IS NULL OR s.names IS NULL OR instr(s.names, unhex(printf('%08X', :tool_name))))
  AND (:status IS NULL OR s.names IS NULL OR instr(s.names, unhex(printf('%08X', :status))))
  AND (:branch IS NULL OR s.names IS NULL OR instr(s.names, unhex(printf('%08X', :branch))))
  AND (:project IS NULL OR s.names IS NULL OR instr(s.names, unhex(printf('%08X', :project))))
  AND (:model IS NULL OR s.names IS NULL OR instr(s.names, unhex(printf('%08X', :model))))
  AND (:source IS NULL OR s.names IS NULL OR instr(s.names, unhex(printf('%08X', :source))))
  AND (:source_event IS NULL OR s.names IS NULL OR instr(s.names, unhex(printf('%08X', :source_event))))
  AND b.id BETWEEN max(s.id * 256, (SELECT above FROM bounds) >> 8)
    AND min(s.id * 256 + 255, (SELECT below FROM bounds) >> 8)
  AND (:agent_type IS NULL OR instr(b.names, unhex(printf('%08X', :agent_type))))
  AND (:event_type IS NULL OR instr(b.names, unhex(printf('%08X', :event_type))))
  AND (:tool_name IS NULL OR instr(b.names, unhex(printf('%08X', :tool_name))))
  AND (:status IS NULL OR instr(b.names, unhex(printf('%08X', :status))))
  AND (:branch IS NULL OR instr(b.names, unhex(printf('%08X', :branch))))
  AND (:project IS NULL OR instr(b.names, unhex(printf('%08X', :project))))
  AND (:model IS NULL OR instr(b.names, unhex(printf('%08X', :model))))
  AND (:source IS NULL OR instr(b.names, unhex(printf('%08X', :source))))
  AND (:source_event IS NULL OR instr(b.names, unhex(printf('%08X', :source_event))))
  AND (:session IS NULL OR instr(b.sessions, unhex(printf('%08X', :session))))
  AND e.id > max(b.id * 256 - 1, (SELECT above FROM bounds))
  AND e.id < min(b.id * 256 + 256, (SELECT below FROM bounds))
  AND (:agent_type IS NULL OR e.agent_type = :agent_type)
  AND (:event_type IS NULL OR e.event_type = :event_type)
  AND (:tool_name IS NULL OR e.tool_name = :tool_name)
  AND (:status IS NULL OR e.status = :status)
  AND (:branch IS NULL OR e.branch = :branch)
  AND (:project IS NULL OR e.project = :project)
  AND (:model IS NULL OR e.model = :model)
  AND (:source IS NULL OR e.source = :source)
  AND (:source_event IS NULL OR e.source_event = :source_event)
  AND (:since IS NULL OR e.created_at >= :since)
  AND (:until IS NULL OR e.created_at < :until)
  AND (:session IS NULL OR e.session = :session)
  AND (:call_id IS NULL OR e.call_id = :call_id)
  AND (:agent_id IS NULL OR e.agent_id = :agent_id)
ORDER BY s.id DESC, b.id DESC, e.id DESC
LIMIT +:limit
