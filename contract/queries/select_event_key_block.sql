SELECT keys FROM event_key_blocks WHERE id = ?1
