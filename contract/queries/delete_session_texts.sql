-- Metadata of a session's events in a block that is not sealed. ?1 the session's key, ?2 the block.
DELETE FROM event_texts WHERE id IN (SELECT id FROM events WHERE id BETWEEN ?2 << 8 AND (?2 << 8) + 255 AND session = ?1)
