-- Sealed metadata of blocks whose rows are all deleted. ?1 the newest deleted id.
DELETE FROM sealed_texts WHERE id < (?1 + 1) >> 8
