INSERT INTO event_key_blocks (id, keys) VALUES (?1, ?2)
