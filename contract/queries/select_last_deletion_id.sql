SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'last_deletion_id'
