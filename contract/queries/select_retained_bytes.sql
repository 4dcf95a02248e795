-- Bytes that count against --retain-bytes (rule RET-02).
SELECT max(0,
  ((SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count))
    * (SELECT page_size FROM pragma_page_size)
  + (SELECT ifnull(sum(size), 0) FROM attachments)
  - 16 * (SELECT ifnull(sum(key_count), 0) FROM event_key_runs WHERE state = 'live')
)
