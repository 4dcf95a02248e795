-- The whole metadata of the oldest events: those up to ?1.
DELETE FROM whole_texts WHERE id <= ?1
