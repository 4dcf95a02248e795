-- For each table: the statement that returns its rows as lines of a dump, in the order of the primary key. A blob is
-- {"hex":"…"}, and whole metadata its text, because the servers' frames of it differ. The epoch of a file, and the facts of its folder of attachments, stay its own.
SELECT
  t.name,
  'SELECT json_object(''table'', ''' || t.name || ''''
    || group_concat(
      ', ''' || c.name || ''', ' || iif(
        t.name = 'whole_texts' AND c.name = 'text',
        'unpack_text(text)',
        c.type IN ('BLOB', 'ANY'),
        replace('json(iif(typeof(@) = ''blob'', ''{"hex":"'' || hex(@) || ''"}'', json_quote(@)))', '@', c.name),
        c.name
      ),
      '' ORDER BY c.cid
    )
    || ') FROM ' || t.name || iif(t.name = 'meta', ' WHERE key NOT IN (''epoch'', ''attachments_id'', ''attachments_token'')', '')
    || ' ORDER BY ' || group_concat(c.name, ', ' ORDER BY c.pk) FILTER (WHERE c.pk > 0) AS dump
FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\'
GROUP BY t.name
ORDER BY t.name
