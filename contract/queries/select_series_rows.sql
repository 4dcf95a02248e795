-- Generated from contract/fields.json and contract/figures.json. Sums of rows by bucket of time and by name (rule SER-01).
-- :bucket_ms is the length of a bucket. :by is the place of a dictionary field from 1 on, 0 for none, whose names are 0.
-- :step is the name id of events that do not count, or NULL.
-- :durations is 1 when the list of durations is wanted (rule SER-06), else 0.
-- :since (inclusive) and :until (exclusive) are Unix milliseconds, :late is 0 or 1, :session is the key of a session. A
-- filter is a name id or a text. NULL stands for any.
-- :q is a text to search for, and :escaped the same text inside JSON if it differs. :uuid is the text if a UUID may have
-- it. :whole is 1 to search whole metadata. unpack_text is a function of the servers: the text of a zstd frame.
-- has_text is a function of the servers: whether bytes contain a text, ignoring the case of ASCII letters. CASE keeps
-- SQLite from calling it for rows that need no search. No text contains U+0000, so that none spans two values.
-- :names are the ids of the names that contain the text, as a JSON array, NULL for none (rule GET-13).
-- :in_metadata is 0 when no metadata can contain the text.
-- The plus keeps the value from the planner (decision 23).
SELECT
  max(e.id) AS id,
  (e.created_at + e.time_shift) / CAST(:bucket_ms AS INTEGER) * CAST(:bucket_ms AS INTEGER) AS bucket,
  CASE :by WHEN 1 THEN e.agent_type WHEN 2 THEN e.event_type WHEN 3 THEN e.tool_name WHEN 4 THEN e.status WHEN 5 THEN e.branch WHEN 6 THEN e.project WHEN 7 THEN e.model WHEN 8 THEN e.source WHEN 9 THEN e.source_event WHEN 10 THEN e.service_tier WHEN 11 THEN e.subagent WHEN 12 THEN e.skill WHEN 13 THEN e.mcp_server WHEN 14 THEN e.host ELSE 0 END AS name,
  count(*) AS event_count,
  count(*) FILTER (WHERE e.status = (SELECT n.id FROM names AS n WHERE n.kind = 'status' AND n.name = 'error')) AS error_count,
  count(e.duration_ms) AS duration_count,
  total(e.duration_ms) AS duration_ms,
  total(e.tokens_in) AS tokens_in,
  total(e.tokens_out) AS tokens_out,
  total(e.cost_nanos) AS cost_nanos,
  total(e.computed_cost_nanos) AS computed_cost_nanos,
  total(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END) AS unpriced_tokens,
  group_concat(e.duration_ms) FILTER (WHERE :durations) AS durations
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
  AND (:step IS NULL OR e.event_type <> :step)
GROUP BY 2, 3
LIMIT +:limit
