-- The ids of the events between two ids, both exclusive, and the bytes of their metadata, oldest first. Long texts that are
-- not sealed are not read for it. With ?3 the bytes of whole metadata count instead of those of a summary.
SELECT
  e.id,
  CASE
    WHEN ?3 IS NOT NULL AND e.metadata_bytes IS NOT NULL AND EXISTS (SELECT 1 FROM whole_texts AS w WHERE w.id = e.id)
      THEN e.metadata_bytes
    ELSE coalesce(
      octet_length(e.metadata),
      (SELECT octet_length(t.metadata) FROM event_texts AS t WHERE t.id = e.id),
      octet_length(
        sealed_text(e.id, iif(has_block(e.id), NULL, (SELECT s.texts FROM sealed_texts AS s WHERE s.id = e.id >> 8)))
      )
    )
  END
FROM events AS e WHERE e.id > ?1 AND e.id < ?2 ORDER BY e.id
