-- The newest id, from the file's own record and from the table, so that neither can be behind the other.
SELECT max(
  (SELECT value FROM meta WHERE key = 'last_event_id'),
  ifnull((SELECT max(id) FROM events), 0)
)
