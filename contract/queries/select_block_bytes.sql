-- The bytes of the metadata of the rows of the block ?1, the same sealed or not.
SELECT ifnull(
  (SELECT metadata_bytes FROM sealed_texts WHERE id = ?1),
  (
    SELECT ifnull(sum(ifnull(
      octet_length(e.metadata),
      (SELECT octet_length(t.metadata) FROM event_texts AS t WHERE t.id = e.id)
    )), 0)
    FROM events AS e WHERE e.id BETWEEN ?1 << 8 AND (?1 << 8) + 255
  )
)
