SELECT value FROM meta WHERE key = 'forwarded_to ' || ?1
