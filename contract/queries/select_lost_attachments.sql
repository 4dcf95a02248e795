-- The number of references whose event does not exist.
SELECT count(*) FROM attachments WHERE event NOT IN (SELECT id FROM events)
