SELECT names FROM event_spans WHERE id = ?1
