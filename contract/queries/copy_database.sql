-- Writes a copy of the database, as of one transaction, to the file ?1, which is empty or absent. The copy has no free
-- pages (<https://sqlite.org/lang_vacuum.html>, "VACUUM with an INTO clause").
VACUUM INTO ?1
