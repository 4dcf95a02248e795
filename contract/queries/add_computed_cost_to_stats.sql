-- What one group of events adds to the computed cost of a row that upsert_stats.sql has written (rule PRI-06).
-- ?1 nano-dollars, ?2 hour, ?3 name, ?4 agent_type. The sum stops at the largest 64-bit integer (rule STA-06).
UPDATE stats SET computed_cost_nanos = iif(computed_cost_nanos > 9223372036854775807 - CAST(?1 AS INTEGER), 9223372036854775807, computed_cost_nanos + CAST(?1 AS INTEGER))
WHERE hour = ?2 AND name = ?3 AND agent_type = ?4
