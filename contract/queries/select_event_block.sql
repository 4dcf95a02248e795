SELECT names, sessions FROM event_blocks WHERE id = ?1
