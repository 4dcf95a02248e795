SELECT names, sessions, first_time, last_time, first_late, last_late FROM event_blocks WHERE id = ?1
