-- Ends the open hour at the id ?1. ?2 stands for the end of an open hour.
UPDATE hours SET last_id = ?1 WHERE last_id = ?2
