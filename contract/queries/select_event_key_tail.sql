-- The keys that are in no live run: of groups behind ?1.
SELECT keys FROM event_key_tail WHERE id > ?1 ORDER BY id
