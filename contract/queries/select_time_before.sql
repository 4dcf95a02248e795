-- The largest time of the rows that are not late in the blocks up to ?1; no row without such a row.
SELECT last_time FROM event_blocks WHERE id <= ?1 AND last_time IS NOT NULL ORDER BY id DESC LIMIT 1
