SELECT value FROM meta WHERE key = 'cluster_stream'
