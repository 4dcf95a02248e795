SELECT value FROM meta WHERE key = 'last_keyed_event_id'
