DELETE FROM event_key_runs WHERE id = ?1
