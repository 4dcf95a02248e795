-- Applied to every connection of either server, in this order. synchronous alone comes from --durability.
-- Pages are read and written through the connection's own cache: memory maps turn I/O errors into signals.
PRAGMA journal_mode = WAL;
PRAGMA busy_timeout = 5000;
PRAGMA foreign_keys = ON;
PRAGMA trusted_schema = OFF;
PRAGMA temp_store = MEMORY;
PRAGMA mmap_size = 0;
-- The servers checkpoint by themselves, next to the writer (rule STO-04).
PRAGMA wal_autocheckpoint = 0;
PRAGMA journal_size_limit = 67108864;
-- In KiB when negative. What the writer needs again is small; what readers read is in the system's cache.
PRAGMA cache_size = -2000;
