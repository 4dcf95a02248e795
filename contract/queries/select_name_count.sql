-- The number of names of a kind.
SELECT count(*) FROM names WHERE kind = ?1
