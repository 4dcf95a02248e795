-- The ids whose keys are in no run yet.
SELECT event_id FROM events WHERE id > ?1 AND event_id IS NOT NULL
