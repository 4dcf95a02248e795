INSERT INTO event_blocks (id, names, sessions, first_time, last_time, first_late, last_late)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (id) DO UPDATE SET
  names = excluded.names,
  sessions = excluded.sessions,
  first_time = excluded.first_time,
  last_time = excluded.last_time,
  first_late = excluded.first_late,
  last_late = excluded.last_late
