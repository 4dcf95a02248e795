-- The ids of every hour, which a check compares with the events.
SELECT hour, first_id, last_id FROM hours
