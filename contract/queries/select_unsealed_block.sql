-- The next block with metadata that can be sealed: the block and the bytes of its texts. No row when no text is left.
SELECT next.id, sum(octet_length(t.metadata))
FROM (
  SELECT min(id) >> 8 AS id FROM event_texts
  WHERE id >= (SELECT value << 8 FROM meta WHERE key = 'sealed_below')
) AS next JOIN event_texts AS t ON t.id BETWEEN next.id << 8 AND (next.id << 8) + 255
GROUP BY 1
