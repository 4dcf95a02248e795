-- Every object of the schema as one hexadecimal text, without the statistics that ANALYZE of any program adds.
SELECT hex(concat_ws(char(0), type, name, tbl_name, sql)) AS object
FROM sqlite_schema
WHERE NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4'))
