-- Whole metadata, oldest first. Then the size that the row of the event has; NULL without a row with a summary.
SELECT w.text, iif(e.payload_truncated, e.metadata_bytes, NULL) FROM whole_texts AS w LEFT JOIN events AS e ON e.id = w.id
ORDER BY w.id
