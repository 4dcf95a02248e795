-- The oldest events: those up to ?1.
DELETE FROM events WHERE id <= ?1
