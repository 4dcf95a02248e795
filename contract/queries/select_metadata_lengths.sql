-- The ids of the events between two ids, both exclusive, and the bytes of their metadata, oldest first. Long texts are not
-- read for it.
SELECT id, octet_length(metadata) FROM events WHERE id > ?1 AND id < ?2 ORDER BY id
