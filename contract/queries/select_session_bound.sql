-- The activity and the key of the ?3th session below the activity ?1 and the key ?2, newest activity first. There is no
-- row when there are fewer.
SELECT activity, key FROM sessions WHERE (activity, key) < (?1, ?2) ORDER BY activity DESC, key DESC LIMIT 1 OFFSET +?3 - 1
