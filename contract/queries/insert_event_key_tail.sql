-- The keys of a group, under its newest event id.
INSERT INTO event_key_tail (id, keys) VALUES (?1, ?2)
