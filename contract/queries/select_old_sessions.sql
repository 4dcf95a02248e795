-- The lists of sessions of the blocks up to that of the event ?1.
SELECT sessions FROM event_blocks WHERE id <= ?1 >> 8
