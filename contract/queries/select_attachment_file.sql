-- The first reference to a file (rule ATT-07). ?1 the SHA-256.
SELECT name, size, media_type FROM attachments WHERE sha256 = +?1 ORDER BY event, name LIMIT 1
