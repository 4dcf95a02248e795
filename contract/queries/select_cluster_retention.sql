SELECT value FROM meta WHERE key = 'cluster_retention'
