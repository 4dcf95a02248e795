-- What a search needs of the block ?1; no row when it is not sealed. That is the bytes of the metadata of its rows, its
-- filter, and whether a row has whole metadata next to it.
SELECT
  metadata_bytes,
  filter,
  EXISTS (SELECT 1 FROM whole_texts AS w WHERE w.id BETWEEN s.id << 8 AND (s.id << 8) + 255)
FROM sealed_texts AS s WHERE s.id = ?1
