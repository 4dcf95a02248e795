-- What one group of events adds to the computed cost of a session, whose row the group has written (rule PRI-06).
-- ?1 nano-dollars, ?2 the session's key. The sum stops at the largest 64-bit integer (rule STA-06).
UPDATE sessions SET computed_cost_nanos = iif(computed_cost_nanos > 9223372036854775807 - CAST(?1 AS INTEGER), 9223372036854775807, computed_cost_nanos + CAST(?1 AS INTEGER))
WHERE key = ?2
