UPDATE meta SET value = CAST(?1 AS INTEGER) WHERE key = 'last_deletion_id'
