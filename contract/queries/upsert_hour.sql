-- Ids of an hour from ?2 to ?3.
INSERT INTO hours (hour, first_id, last_id) VALUES (?1, ?2, CAST(?3 AS INTEGER))
ON CONFLICT (hour) DO UPDATE SET first_id = min(first_id, excluded.first_id), last_id = max(last_id, excluded.last_id)
