-- Metadata of a block that is not sealed.
DELETE FROM event_texts WHERE id BETWEEN ?1 << 8 AND (?1 << 8) + 255
