-- The number of texts without an event, or of one that has its metadata in its row, and of events whose metadata is nowhere.
SELECT
  (
    SELECT count(*) FROM event_texts AS t LEFT JOIN events AS e ON e.id = t.id
    WHERE e.id IS NULL OR e.metadata IS NOT NULL
  ) + (
    SELECT count(*) FROM events AS e
    WHERE e.metadata IS NULL
      AND NOT EXISTS (SELECT 1 FROM event_texts AS t WHERE t.id = e.id)
      AND NOT EXISTS (SELECT 1 FROM sealed_texts AS s WHERE s.id = e.id >> 8)
  )
