-- Every file that a row refers to, and its size in bytes.
SELECT sha256, max(size) AS size FROM attachments GROUP BY sha256 ORDER BY sha256
