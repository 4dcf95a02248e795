-- The whole metadata of an event. ?1 the id of the event, ?2 the most bytes of the text. The plus keeps the value from the
-- planner (decision 23).
SELECT unpack_text(w.text) FROM whole_texts AS w JOIN events AS e ON e.id = w.id
WHERE w.id = ?1 AND e.metadata_bytes <= +?2
