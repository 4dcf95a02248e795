UPDATE meta SET value = CAST(?1 AS INTEGER) WHERE key = 'open_quarter'
