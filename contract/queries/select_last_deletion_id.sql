SELECT value FROM meta WHERE key = 'last_deletion_id'
