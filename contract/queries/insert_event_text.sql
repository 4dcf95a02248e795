INSERT INTO event_texts (id, metadata) VALUES (?1, ?2)
