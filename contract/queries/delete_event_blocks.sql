-- Summaries of blocks whose rows are all deleted. ?1 the newest deleted id.
DELETE FROM event_blocks WHERE id < (?1 + 1) >> 8
