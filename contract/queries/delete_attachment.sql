-- An attachment of an event. ?1 the event, ?2 its name.
DELETE FROM attachments WHERE event = ?1 AND name = ?2
