-- Generated from contract/fields.json. Rows with ids above :above and below :below, newest first, up to :limit.
-- :since (inclusive) and :until (exclusive) are Unix milliseconds, :late is 0 or 1, :session is the key of a session. A
-- filter is a name id or a text. NULL stands for any.
-- :q is a text to search for, and :escaped the same text inside JSON if it differs. :uuid is the text if a UUID may have
-- it. :whole is 1 to search whole metadata. unpack_text is a function of the servers: the text of a zstd frame.
-- has_text is a function of the servers: whether bytes contain a text, ignoring the case of ASCII letters. CASE keeps
-- SQLite from calling it for rows that need no search. No text contains U+0000, so that none spans two values.
-- :names are the ids of the names that contain the text, as a JSON array, NULL for none (rule GET-13).
-- :in_metadata is 0 when no metadata can contain the text.
-- The columns are those of a row in its order, but for schema_version. Names and sessions are ids, times are Unix
-- milliseconds, an event_id of 16 bytes is a UUID.
-- The plus keeps the value from the planner (decision 23).
SELECT
  e.id, e.event_id, e.session, e.agent_type, e.event_type, e.tool_name, e.status, e.tokens_in, e.tokens_out,
  e.cache_read_tokens, e.cache_write_tokens, e.cache_write_1h_tokens, e.branch, e.project, e.duration_ms, e.model,
  e.service_tier, e.cost_nanos, e.computed_cost_nanos, e.source, e.source_event, e.host, e.call_id, e.response_id,
  e.agent_id, e.subagent, e.skill, e.mcp_server, e.client_timestamp, e.arrived_at, e.created_at,
  e.created_at + e.time_shift, e.history, e.payload_truncated, e.metadata_bytes,
  coalesce(
    e.metadata,
    (SELECT t.metadata FROM event_texts AS t WHERE t.id = e.id),
    sealed_text(e.id, iif(has_block(e.id), NULL, (SELECT s.texts FROM sealed_texts AS s WHERE s.id = e.id >> 8)))
  )
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
  AND (:service_tier IS NULL OR e.service_tier = :service_tier)
  AND (:subagent IS NULL OR e.subagent = :subagent)
  AND (:skill IS NULL OR e.skill = :skill)
  AND (:mcp_server IS NULL OR e.mcp_server = :mcp_server)
  AND (:host IS NULL OR e.host = :host)
  AND (:since IS NULL OR (e.created_at + e.time_shift) >= :since)
  AND (:until IS NULL OR (e.created_at + e.time_shift) < :until)
  AND (:late IS NULL OR e.late = :late)
  AND (:session IS NULL OR e.session = :session)
  AND (:call_id IS NULL OR e.call_id = :call_id)
  AND (:agent_id IS NULL OR e.agent_id = :agent_id)
  AND (:response_id IS NULL OR e.response_id = :response_id)
  AND CASE
    WHEN :q IS NULL THEN 1
    WHEN :names IS NOT NULL AND (
      e.agent_type IN (SELECT value FROM json_each(:names)) OR
      e.tool_name IN (SELECT value FROM json_each(:names)) OR
      e.branch IN (SELECT value FROM json_each(:names)) OR
      e.project IN (SELECT value FROM json_each(:names)) OR
      e.model IN (SELECT value FROM json_each(:names)) OR
      e.source_event IN (SELECT value FROM json_each(:names)) OR
      e.service_tier IN (SELECT value FROM json_each(:names)) OR
      e.subagent IN (SELECT value FROM json_each(:names)) OR
      e.skill IN (SELECT value FROM json_each(:names)) OR
      e.mcp_server IN (SELECT value FROM json_each(:names)) OR
      e.host IN (SELECT value FROM json_each(:names))
    ) THEN 1
    WHEN :in_metadata AND has_text(CAST(CASE WHEN :whole IS NULL OR e.metadata_bytes IS NULL THEN coalesce(
    e.metadata,
    (SELECT t.metadata FROM event_texts AS t WHERE t.id = e.id),
    sealed_text(e.id, iif(has_block(e.id), NULL, (SELECT s.texts FROM sealed_texts AS s WHERE s.id = e.id >> 8)))
  ) ELSE ifnull((SELECT unpack_text(w.text) FROM whole_texts AS w WHERE w.id = e.id), coalesce(
    e.metadata,
    (SELECT t.metadata FROM event_texts AS t WHERE t.id = e.id),
    sealed_text(e.id, iif(has_block(e.id), NULL, (SELECT s.texts FROM sealed_texts AS s WHERE s.id = e.id >> 8)))
  )) END AS BLOB), :q, :escaped) THEN 1
    ELSE has_text(CAST(
      (SELECT s.session_id FROM sessions AS s WHERE s.key = e.session)
      || char(0) || ifnull(e.call_id, '')
      || char(0) || ifnull(e.agent_id, '')
      || char(0) || ifnull(e.response_id, '')
      || char(0) || CASE
        WHEN typeof(e.event_id) = 'text' THEN e.event_id
        WHEN :uuid IS NOT NULL AND typeof(e.event_id) = 'blob' THEN
          substr(hex(e.event_id), 1, 8) || '-' || substr(hex(e.event_id), 9, 4) || '-'
          || substr(hex(e.event_id), 13, 4) || '-' || substr(hex(e.event_id), 17, 4) || '-'
          || substr(hex(e.event_id), 21, 12)
        ELSE ''
      END AS BLOB), :q, NULL)
  END
ORDER BY e.id DESC
LIMIT +:limit
