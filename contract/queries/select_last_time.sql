-- The largest time of the rows that are not late; no row without such a row.
SELECT last_time FROM event_blocks WHERE last_time IS NOT NULL ORDER BY id DESC LIMIT 1
