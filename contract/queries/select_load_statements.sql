-- For each table, three statements. The value of the first two is a line of a dump. The first one returns a column that
-- the table does not have, the second one stores the line. The third one returns whether a line, its second value, has a
-- greater primary key than another one, its first value. ?1 the dropped columns "table.column" as a JSON array, which are
-- no such column. ?2 the earlier names of columns, as a JSON object of "table.column". An absent column has its default. A fact of meta replaces that of the new file, except its own facts.
SELECT
  t.name,
  'SELECT key FROM json_each(?) WHERE key NOT IN (''table'', ' || group_concat('''' || c.name || '''', ', ')
    || ifnull((
      SELECT group_concat(', ''' || substr(value, length(t.name) + 2) || '''', '')
      FROM json_each(?1) WHERE instr(value, t.name || '.') = 1
    ), '')
    || ') LIMIT 1' AS unknown,
  'INSERT INTO ' || t.name || ' (' || group_concat(c.name, ', ' ORDER BY c.cid) || ') SELECT '
    || group_concat(
      replace(
        iif(c.dflt_value IS NULL, '', 'iif(json_type(line, ''$.@'') IS NULL, ' || c.dflt_value || ', ')
          || iif(
            t.name = 'whole_texts' AND c.name = 'text',
            'pack_text(line ->> ''$.text'')',
            c.type IN ('BLOB', 'ANY'),
            'iif(json_type(line, ''$.@'') = ''object'', unhex(line ->> ''$.@.hex''), line ->> ''$.@'')',
            ifnull('ifnull(line ->> ''$.@'', line ->> ''$.' || r.value || ''')', 'line ->> ''$.@''')
          )
          || iif(c.dflt_value IS NULL, '', ')'),
        '@', c.name
      ),
      ', ' ORDER BY c.cid
    )
    || ' FROM (SELECT ? AS line)'
    || iif(
      t.name = 'meta',
      ' WHERE true ON CONFLICT (key) DO UPDATE SET value = iif(key IN (''epoch'', ''attachments_id'', ''attachments_token'', ''sealed_below''), NULL, excluded.value)',
      ''
    ) AS load,
  'SELECT (' || group_concat(
      replace(
        iif(
          c.type IN ('BLOB', 'ANY'),
          'iif(json_type(before, ''$.@'') = ''object'', unhex(before ->> ''$.@.hex''), before ->> ''$.@'')',
          ifnull('ifnull(before ->> ''$.@'', before ->> ''$.' || r.value || ''')', 'before ->> ''$.@''')
        ),
        '@', c.name
      ),
      ', ' ORDER BY c.pk
    ) FILTER (WHERE c.pk > 0)
    || ') < (' || group_concat(
      replace(
        iif(
          c.type IN ('BLOB', 'ANY'),
          'iif(json_type(line, ''$.@'') = ''object'', unhex(line ->> ''$.@.hex''), line ->> ''$.@'')',
          ifnull('ifnull(line ->> ''$.@'', line ->> ''$.' || r.value || ''')', 'line ->> ''$.@''')
        ),
        '@', c.name
      ),
      ', ' ORDER BY c.pk
    ) FILTER (WHERE c.pk > 0)
    || ') FROM (SELECT ? AS before, ? AS line)' AS follows
FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
LEFT JOIN json_each(?2) AS r ON r.key = t.name || '.' || c.name
WHERE t.type = 'table' AND t.name <> 'sealed_texts' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\'
GROUP BY t.name
ORDER BY t.name
