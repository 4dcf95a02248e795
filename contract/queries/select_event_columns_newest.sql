-- Generated from contract/fields.json. Rows with ids above :above and below :below, newest first, up to :limit.
-- :since (inclusive) and :until (exclusive) are Unix milliseconds, :session is the key of a session. A filter is a name
-- id or a text. NULL stands for any.
-- :q is a pattern of LIKE, :escaped that of the same text inside JSON if it differs, :uuid that of a part of a UUID.
-- :names are the ids of the names that contain the text, as a JSON array, NULL for none (rule GET-13).
-- The columns are those of a row in its order, but for schema_version. Names and sessions are ids, times are Unix
-- milliseconds, an event_id of 16 bytes is a UUID.
-- The plus keeps the value from the planner (decision 23).
SELECT
  e.id, e.event_id, e.session, e.agent_type, e.event_type, e.tool_name, e.status, e.tokens_in, e.tokens_out,
  e.cache_read_tokens, e.cache_write_tokens, e.branch, e.project, e.duration_ms, e.model, e.cost_nanos,
  e.computed_cost_nanos, e.source, e.source_event, e.call_id, e.agent_id, e.client_timestamp, e.created_at,
  e.payload_truncated, e.metadata
FROM events AS e
WHERE e.id > :above AND e.id < :below
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
  AND (:q IS NULL
    OR :names IS NOT NULL AND (
      e.agent_type IN (SELECT value FROM json_each(:names)) OR
      e.tool_name IN (SELECT value FROM json_each(:names)) OR
      e.branch IN (SELECT value FROM json_each(:names)) OR
      e.project IN (SELECT value FROM json_each(:names)) OR
      e.model IN (SELECT value FROM json_each(:names)) OR
      e.source_event IN (SELECT value FROM json_each(:names))
    )
    OR e.call_id LIKE +:q ESCAPE '\'
    OR e.agent_id LIKE +:q ESCAPE '\'
    OR e.metadata LIKE +:q ESCAPE '\'
    OR :escaped IS NOT NULL AND e.metadata LIKE +:escaped ESCAPE '\'
    OR (SELECT s.session_id FROM sessions AS s WHERE s.key = e.session) LIKE +:q ESCAPE '\'
    OR typeof(e.event_id) = 'text' AND e.event_id LIKE +:q ESCAPE '\'
    OR :uuid IS NOT NULL AND typeof(e.event_id) = 'blob' AND (
      substr(hex(e.event_id), 1, 8) || '-' || substr(hex(e.event_id), 9, 4) || '-'
      || substr(hex(e.event_id), 13, 4) || '-' || substr(hex(e.event_id), 17, 4) || '-'
      || substr(hex(e.event_id), 21, 12)) LIKE +:uuid ESCAPE '\')
ORDER BY e.id DESC
LIMIT +:limit
