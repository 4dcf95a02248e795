-- The oldest event's id, or NULL.
SELECT min(id) FROM events
