-- Keys of event ids in sorted runs instead of a B-tree, and a summary per block of rows instead of an index.
-- Why: each random key dirtied pages of its own, which were written twice (docs/performance.md).
-- The keys of event_keys are moved by the servers, which know how a key is made; 0003 drops what is left.

-- A run: keys sorted as bytes, never changed once it is live. Its blocks are event_key_blocks with
-- id = run * limits.event_key_run_blocks + 0, 1, 2 …
CREATE TABLE event_key_runs (
  id        INTEGER PRIMARY KEY, -- a run's row is deleted behind its blocks, so that an id taken again meets none
  level     INTEGER NOT NULL,    -- 0 was written from memory; n was merged from runs of level n - 1
  state     TEXT    NOT NULL,    -- growing: being written; live; dropped: merged into another, to be deleted
  key_count INTEGER NOT NULL,
  filter    BLOB    NOT NULL,    -- split block Bloom filter, words of 32 bits, little end first; empty unless live
  fences    BLOB    NOT NULL,    -- the first key of each block; empty unless live
  CONSTRAINT state_is_known CHECK (state IN ('growing', 'live', 'dropped'))
) STRICT;

-- limits.event_key_block_keys keys of 16 bytes each; the last block of a run has the rest.
CREATE TABLE event_key_blocks (
  id   INTEGER PRIMARY KEY,
  keys BLOB NOT NULL
) STRICT;

-- The keys of events up to this id stand in live runs; those of later ones are read from their rows.
INSERT INTO meta (key, value) SELECT 'last_keyed_event_id', 0;

-- Which names and sessions the rows have whose id divided by 256 is this id: numbers of 4 bytes, big end first,
-- ascending. A page with a filter looks only into blocks that have what it wants.
CREATE TABLE event_blocks (
  id       INTEGER PRIMARY KEY,
  names    BLOB NOT NULL, -- names.id
  sessions BLOB NOT NULL  -- sessions.key
) STRICT;

INSERT INTO event_blocks (id, names, sessions)
SELECT
  b.id,
  (
    SELECT unhex(group_concat(printf('%08X', n.name), ''))
    FROM (
      SELECT agent_type AS name FROM events WHERE id BETWEEN b.id * 256 AND b.id * 256 + 255
      UNION SELECT event_type FROM events WHERE id BETWEEN b.id * 256 AND b.id * 256 + 255
      UNION SELECT status     FROM events WHERE id BETWEEN b.id * 256 AND b.id * 256 + 255
      UNION SELECT source     FROM events WHERE id BETWEEN b.id * 256 AND b.id * 256 + 255
      UNION SELECT tool_name  FROM events WHERE id BETWEEN b.id * 256 AND b.id * 256 + 255
      UNION SELECT branch     FROM events WHERE id BETWEEN b.id * 256 AND b.id * 256 + 255
      UNION SELECT project    FROM events WHERE id BETWEEN b.id * 256 AND b.id * 256 + 255
      UNION SELECT model      FROM events WHERE id BETWEEN b.id * 256 AND b.id * 256 + 255
      ORDER BY 1
    ) AS n
    WHERE n.name IS NOT NULL
  ),
  (
    SELECT unhex(group_concat(printf('%08X', s.session), ''))
    FROM (
      SELECT DISTINCT session FROM events WHERE id BETWEEN b.id * 256 AND b.id * 256 + 255 ORDER BY session
    ) AS s
  )
FROM (SELECT DISTINCT id / 256 AS id FROM events ORDER BY id) AS b;

-- Where the rows of a session begin; last_event_id is where they end.
ALTER TABLE sessions ADD COLUMN first_event_id INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET first_event_id = ifnull((SELECT min(id) FROM events WHERE session = sessions.key), 0);
