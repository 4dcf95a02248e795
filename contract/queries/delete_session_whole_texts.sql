-- The whole metadata of a session's events in a block. ?1 the session's key, ?2 the block.
DELETE FROM whole_texts WHERE id BETWEEN ?2 << 8 AND (?2 << 8) + 255
  AND id IN (SELECT id FROM events WHERE id BETWEEN ?2 << 8 AND (?2 << 8) + 255 AND session = ?1)
