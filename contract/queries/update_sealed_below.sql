UPDATE meta SET value = ?1 WHERE key = 'sealed_below'
