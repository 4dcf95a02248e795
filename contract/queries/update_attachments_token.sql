-- Adds a new content to the hash of all new contents (rule ATT-11). ?1 the hash, in hexadecimal.
UPDATE meta SET value = ?1 WHERE key = 'attachments_token'
