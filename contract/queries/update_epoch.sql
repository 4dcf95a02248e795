-- Gives the file a new epoch, made as in the schema: its ids may continue differently from those of the original.
UPDATE meta
SET value = (
  SELECT substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-4' || substr(h, 14, 3) || '-'
         || substr('89ab', 1 + (unicode(substr(h, 17, 1)) % 4), 1) || substr(h, 18, 3) || '-' || substr(h, 21, 12)
  FROM (SELECT lower(hex(randomblob(16))) AS h)
)
WHERE key = 'epoch'
