-- Every copy of a stream has the epoch of the stream (rule CLU-02).
UPDATE meta SET value = ?1 WHERE key = 'epoch' AND value <> ?1
