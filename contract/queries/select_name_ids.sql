-- The id of every name.
SELECT id FROM names
