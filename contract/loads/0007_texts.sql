-- Longer metadata has a table of its own. The numbers are those of schema 7 (tuning.inline_metadata_bytes).
INSERT INTO event_texts (id, metadata) SELECT id, metadata FROM events WHERE octet_length(metadata) > 16;
UPDATE events SET metadata = NULL WHERE octet_length(metadata) > 16;
