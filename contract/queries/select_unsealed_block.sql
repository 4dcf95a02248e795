-- The next block to seal below the block ?1, and the bytes of its texts. No row when there is none.
SELECT
  b.id,
  (
    SELECT ifnull(sum(octet_length(t.metadata)), 0) FROM event_texts AS t
    WHERE t.id BETWEEN b.id << 8 AND (b.id << 8) + 255
  )
FROM event_blocks AS b
WHERE b.id >= (SELECT value FROM meta WHERE key = 'sealed_below') AND b.id < CAST(?1 AS INTEGER)
ORDER BY b.id
LIMIT 1
