-- The result of `PRAGMA quick_check` for one table and its indexes, "ok" without a problem; no row after the last
-- table. ?1 the table's place by name, from 0.
SELECT (SELECT quick_check FROM pragma_quick_check(tables.name) LIMIT 1) FROM (
  SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name LIMIT 1 OFFSET ?1
) AS tables
