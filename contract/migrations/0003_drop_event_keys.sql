-- What sorted runs and block summaries replaced; 0002 and the servers have moved what these held.
DROP TABLE event_keys;
DROP INDEX events_by_session;
