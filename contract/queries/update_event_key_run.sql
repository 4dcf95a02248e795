-- A growing run is whole, or a live one was merged.
UPDATE event_key_runs SET state = ?1, filter = ?2, fences = ?3 WHERE id = ?4
