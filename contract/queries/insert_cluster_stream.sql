-- The stream that this file is a copy of (rule CLU-02).
INSERT INTO meta (key, value) VALUES ('cluster_stream', ?1)
