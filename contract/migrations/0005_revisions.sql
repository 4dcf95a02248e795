-- Revisions are the ids of events themselves (rule SYN-01), so that no transaction has to count them.
-- Of events, statistics and the list of sessions it is the newest id, of a session its last_event_id.
DROP TABLE topics;
ALTER TABLE sessions DROP COLUMN revision;
