UPDATE meta SET value = CAST(?1 AS INTEGER) WHERE key = 'sealed_below'
