SELECT value FROM meta WHERE key = 'forward_origin'
