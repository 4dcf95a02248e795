-- The attachments of an event (rule ATT-06).
SELECT
  name,
  lower(hex(sha256)) AS sha256,
  size,
  media_type,
  strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') AS created_at
FROM attachments
WHERE event = +?1
ORDER BY name
