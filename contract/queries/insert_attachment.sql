-- Keeps a reference to a file (rule ATT-01). ?1 the event's id, ?2 the name, ?3 the SHA-256, ?4 the size in bytes, ?5 the
-- media type, ?6 now in Unix milliseconds.
INSERT INTO attachments (event, name, sha256, size, media_type, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
