-- The smallest time of the rows that are not late in the blocks from ?1 on; no row without such a row.
SELECT first_time FROM event_blocks WHERE id >= ?1 AND first_time IS NOT NULL ORDER BY id LIMIT 1
