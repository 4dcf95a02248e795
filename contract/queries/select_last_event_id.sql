-- The newest id that was ever assigned, even if its row was deleted. Each group leaves a row in event_key_tail, which is
-- deleted only up to last_keyed_event_id.
SELECT max(
  (SELECT value FROM meta WHERE key = 'last_keyed_event_id'),
  ifnull((SELECT max(id) FROM event_key_tail), 0),
  ifnull((SELECT max(id) FROM events), 0)
)
