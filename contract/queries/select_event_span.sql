SELECT names, first_time, last_time, first_late, last_late FROM event_spans WHERE id = ?1
