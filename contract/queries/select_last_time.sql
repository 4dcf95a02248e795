-- The largest time of the rows that are not late. Without such a row a time after those of all late rows, so that no later
-- row goes before one of them; NULL without rows.
SELECT ifnull(
  (SELECT last_time FROM event_blocks WHERE last_time IS NOT NULL ORDER BY id DESC LIMIT 1),
  (SELECT max(last_late) + 1 FROM event_blocks)
)
