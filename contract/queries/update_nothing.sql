-- A probe: a write that changes no value, to find out whether writes succeed (rule STO-05). An UPDATE with equal values
-- would write no page.
REPLACE INTO meta (key, value)
SELECT key, value FROM meta WHERE key = 'epoch'
