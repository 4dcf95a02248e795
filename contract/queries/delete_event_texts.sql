-- Metadata of the events up to ?1 that is not sealed.
DELETE FROM event_texts WHERE id <= ?1
