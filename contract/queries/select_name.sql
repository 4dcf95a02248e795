SELECT id FROM names WHERE kind = ?1 AND name = ?2
