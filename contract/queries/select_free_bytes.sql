-- Bytes of the file that no page uses, and of those that pages use.
SELECT
  (SELECT freelist_count FROM pragma_freelist_count) * (SELECT page_size FROM pragma_page_size),
  (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size)
