-- Of groups whose keys are in live runs: those up to ?1.
DELETE FROM event_key_tail WHERE id <= ?1
