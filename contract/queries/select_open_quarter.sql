SELECT value FROM meta WHERE key = 'open_quarter'
