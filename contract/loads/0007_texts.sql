-- Below schema 7 the row of a summary did not have the size of the whole text. The summary has it after its first marker.
UPDATE events SET metadata_bytes = CAST(substr(metadata, 38) AS INTEGER)
WHERE payload_truncated = 1
  AND metadata GLOB '{"_truncated":true,"_original_bytes":[0-9]*'
  AND substr(metadata, 38 + length(CAST(substr(metadata, 38) AS INTEGER)), 1) IN (',', '}')
  AND CAST(substr(metadata, 38) AS INTEGER) <= 9007199254740991;

-- Longer metadata has a table of its own. The numbers are those of schema 7 (tuning.inline_metadata_bytes).
INSERT INTO event_texts (id, metadata) SELECT id, metadata FROM events WHERE octet_length(metadata) > 16;
UPDATE events SET metadata = NULL WHERE octet_length(metadata) > 16;
