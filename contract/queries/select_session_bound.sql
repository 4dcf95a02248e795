-- The last_event_id of the ?2th session below ?1, newest activity first; no row when there are fewer.
SELECT last_event_id FROM sessions WHERE last_event_id < ?1 ORDER BY last_event_id DESC LIMIT 1 OFFSET +?2 - 1
