-- The newest id that was ever given out, also when its row was deleted: each group leaves a row in event_key_tail, which
-- is deleted only up to last_keyed_event_id.
SELECT max(
  (SELECT value FROM meta WHERE key = 'last_keyed_event_id'),
  ifnull((SELECT max(id) FROM event_key_tail), 0),
  ifnull((SELECT max(id) FROM events), 0)
)
