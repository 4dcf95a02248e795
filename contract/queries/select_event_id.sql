-- Whether there is an event. ?1 its id.
SELECT id FROM events WHERE id = ?1
