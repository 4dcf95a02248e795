SELECT ifnull((SELECT value FROM meta WHERE key = 'cluster_sequence'), 0)
