SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'last_keyed_event_id'
