-- A probe: a write that changes no value, to find out whether writes succeed again (rule STO-05).
UPDATE meta SET value = value WHERE key = 'last_keyed_event_id'
