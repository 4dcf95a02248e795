INSERT INTO names (kind, name) VALUES (?1, ?2) RETURNING id
