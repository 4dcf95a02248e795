-- The newest sequence of the stream that this file has (rule CLU-05).
INSERT INTO meta (key, value) VALUES ('cluster_sequence', CAST(?1 AS INTEGER))
ON CONFLICT (key) DO UPDATE SET value = excluded.value
