-- The effective settings as JSON, which the comparison checks before it measures.
SELECT json_object(
  'status', 'ok',
  'sqlite_version', sqlite_version(),
  'journal_mode', journal_mode,
  'synchronous', iif(synchronous = 2, 'full', 'normal'),
  'durability', iif(synchronous = 2, 'power', 'process'),
  'compile_options', json((SELECT json_group_array(compile_options) FROM pragma_compile_options)),
  'pragmas', json_object(
    'journal_mode', journal_mode, 'busy_timeout', timeout, 'foreign_keys', foreign_keys,
    'trusted_schema', trusted_schema, 'temp_store', temp_store, 'journal_size_limit', journal_size_limit,
    'cache_size', cache_size, 'synchronous', synchronous, 'page_size', page_size
  )
) FROM pragma_synchronous, pragma_journal_mode, pragma_busy_timeout, pragma_foreign_keys, pragma_trusted_schema,
  pragma_temp_store, pragma_journal_size_limit, pragma_cache_size, pragma_page_size
