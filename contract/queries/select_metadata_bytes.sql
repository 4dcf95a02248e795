-- The bytes of metadata of the events between two ids, both exclusive. Long texts are not read for it.
SELECT ifnull(sum(octet_length(metadata)), 0) FROM events WHERE id > ?1 AND id < ?2
