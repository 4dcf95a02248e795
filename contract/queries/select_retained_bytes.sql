-- Bytes that count against --retain-bytes (rule RET-02). Each content of attachments counts once, in whole blocks of
-- limits.attachment_block_bytes.
SELECT max(0,
  ((SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count))
    * (SELECT page_size FROM pragma_page_size)
  + (SELECT ifnull(sum((size + 4095) / 4096 * 4096), 0) FROM (SELECT min(size) AS size FROM attachments GROUP BY sha256))
  - 16 * (SELECT ifnull(sum(key_count), 0) FROM event_key_runs WHERE state = 'live')
)
