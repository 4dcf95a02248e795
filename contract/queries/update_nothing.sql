-- A probe: run with 1 and then with -1 in one transaction, it changes nothing, and finds out whether writes succeed (rule
-- STO-05). SQLite skips the page of an UPDATE with equal values.
UPDATE meta SET value = CAST(value + :step AS INTEGER) WHERE key = 'last_keyed_event_id'
