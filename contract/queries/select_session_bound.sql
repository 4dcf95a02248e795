-- The activity and the last_event_id of the ?3th session below the activity ?1 and the last_event_id ?2, newest activity first. There is no
-- row when there are fewer.
SELECT activity, last_event_id FROM sessions WHERE (activity, last_event_id) < (?1, ?2)
ORDER BY activity DESC, last_event_id DESC LIMIT 1 OFFSET +?3 - 1
