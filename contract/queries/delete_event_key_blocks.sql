-- Of a dropped run: blocks from ?1 up to but without ?2.
DELETE FROM event_key_blocks WHERE id >= ?1 AND id < ?2
