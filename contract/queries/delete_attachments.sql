-- The attachments of events up to ?1.
DELETE FROM attachments WHERE event <= ?1 RETURNING sha256, size
