INSERT INTO event_spans (id, names) VALUES (?1, ?2)
ON CONFLICT (id) DO UPDATE SET names = excluded.names
