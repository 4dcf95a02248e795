-- The effective settings as JSON, which the comparison checks before it measures.
SELECT json_object(
  'status', 'ok',
  'sqlite_version', sqlite_version(),
  'journal_mode', (SELECT journal_mode FROM pragma_journal_mode),
  'synchronous', iif(synchronous = 2, 'full', 'normal'),
  'durability', iif(synchronous = 2, 'power', 'process'),
  'compile_options', json((SELECT json_group_array(compile_options) FROM pragma_compile_options))
) FROM pragma_synchronous
