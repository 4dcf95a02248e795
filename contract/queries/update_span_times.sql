-- Gives spans below ?1 the times of their blocks, where they still have every time.
UPDATE event_spans AS s SET (first_time, last_time, first_late, last_late) = (
  SELECT min(b.first_time), max(b.last_time), min(b.first_late), max(b.last_late)
  FROM event_blocks AS b WHERE b.id BETWEEN s.id << 8 AND (s.id << 8) + 255
)
WHERE s.id = (SELECT max(id) FROM event_spans WHERE id < ?1) AND s.last_time = 9007199254740992
