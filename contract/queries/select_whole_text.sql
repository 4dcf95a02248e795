-- The whole metadata of an event. ?1 the id of the event.
SELECT unpack_text(text) FROM whole_texts WHERE id = ?1
