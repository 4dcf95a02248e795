-- A session without events. ?1 its key.
DELETE FROM sessions WHERE key = ?1
