SELECT id, level, state, key_count, filter, fences FROM event_key_runs ORDER BY id
