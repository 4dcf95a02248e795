-- ?1 the event's id, ?2 the name.
SELECT sha256, size, media_type FROM attachments WHERE event = ?1 AND name = ?2
