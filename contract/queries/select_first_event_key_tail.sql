-- The oldest group whose keys still stand in the tail, or 0.
SELECT ifnull(min(id), 0) FROM event_key_tail
