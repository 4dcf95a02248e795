-- The rows of the block ?1: the place in the block, and the bytes of metadata that stands in the row or NULL.
SELECT id & 255, octet_length(metadata) FROM events WHERE id BETWEEN ?1 << 8 AND (?1 << 8) + 255 ORDER BY id
