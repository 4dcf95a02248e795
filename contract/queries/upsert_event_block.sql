INSERT INTO event_blocks (id, names, sessions) VALUES (?1, ?2, ?3)
ON CONFLICT (id) DO UPDATE SET names = excluded.names, sessions = excluded.sessions
