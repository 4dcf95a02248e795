-- For each table: the statement that returns its rows as lines of a dump, in the order of the primary key. A blob is
-- {"hex":"…"}, and whole metadata its text, because the servers' frames of it differ. The epoch of a file, the facts of its
-- folder of attachments, and what is sealed stay its own. event_texts has the sealed texts too.
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
    || ') FROM ' || CASE t.name
      WHEN 'meta' THEN 'meta WHERE key NOT IN (''epoch'', ''attachments_id'', ''attachments_token'', ''sealed_below'')'
      WHEN 'event_texts' THEN '(
        SELECT e.id, coalesce(
          (SELECT t.metadata FROM event_texts AS t WHERE t.id = e.id),
          sealed_text(e.id, iif(has_block(e.id), NULL, (SELECT s.texts FROM sealed_texts AS s WHERE s.id = e.id >> 8)))
        ) AS metadata
        FROM events AS e WHERE e.metadata IS NULL
      )'
      ELSE t.name
    END
    || ' ORDER BY ' || group_concat(c.name, ', ' ORDER BY c.pk) FILTER (WHERE c.pk > 0) AS dump
FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
WHERE t.type = 'table' AND t.name <> 'sealed_texts' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\'
GROUP BY t.name
ORDER BY t.name
