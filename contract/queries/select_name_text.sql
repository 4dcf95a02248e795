-- The text of a name id.
SELECT name FROM names WHERE id = ?1
