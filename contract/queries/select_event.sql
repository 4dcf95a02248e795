SELECT * FROM events_readable WHERE id = ?1
