-- The whole metadata of an event. ?1 the id of the event, ?2 the text as a zstd frame.
INSERT INTO whole_texts (id, text) VALUES (?1, ?2)
