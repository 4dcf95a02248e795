-- One row changed: the event is new. None: it was accepted before (rule EVT-13).
INSERT INTO event_keys (event_id) VALUES (?1) ON CONFLICT DO NOTHING
