-- The bounds of retention of the stream, as "days bytes" (rule CLU-12).
INSERT INTO meta (key, value) VALUES ('cluster_retention', ?1)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
