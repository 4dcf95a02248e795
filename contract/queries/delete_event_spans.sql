-- Summaries of spans whose rows are all deleted. ?1 the newest deleted id.
DELETE FROM event_spans WHERE id < (?1 + 1) >> 16
