-- Keeps the epoch of the first start with --forward, since a restored database has another one (rule FWD-04).
INSERT INTO meta (key, value)
SELECT 'forward_origin', value FROM meta WHERE key = 'epoch'
ON CONFLICT (key) DO NOTHING
