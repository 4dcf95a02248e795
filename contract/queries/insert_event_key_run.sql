INSERT INTO event_key_runs (level, state, key_count, filter, fences) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id
