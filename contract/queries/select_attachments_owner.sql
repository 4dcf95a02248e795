-- What the folder of attachments must agree with (rule ATT-11).
SELECT
  (SELECT value FROM meta WHERE key = 'attachments_id') AS id,
  (SELECT value FROM meta WHERE key = 'attachments_token') AS token
