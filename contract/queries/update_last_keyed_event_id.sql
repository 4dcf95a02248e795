UPDATE meta SET value = CAST(?1 AS INTEGER) WHERE key = 'last_keyed_event_id'
