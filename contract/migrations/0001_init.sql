-- The schema of a database. Its number, the file's user_version, is in schema.json and rises with each edit.
-- A new column has a default or may be NULL, so that dumps of earlier schemas load (rule BAK-05).
-- Both servers use the names in this file. People use the view events_readable.

-- "TWIN" in ASCII, so that a server recognises a foreign SQLite file before it writes to it.
PRAGMA application_id = 1415006542;

-- Facts about the file as a whole.
CREATE TABLE meta (
  key   TEXT NOT NULL PRIMARY KEY,
  value ANY  NOT NULL
) STRICT, WITHOUT ROWID;

-- epoch: a version 4 UUID (RFC 9562) made with the file; a client that knows another epoch starts again.
INSERT INTO meta (key, value)
SELECT 'epoch',
       substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-4' || substr(h, 14, 3) || '-'
       || substr('89ab', 1 + (unicode(substr(h, 17, 1)) % 4), 1) || substr(h, 18, 3) || '-' || substr(h, 21, 12)
FROM (SELECT lower(hex(randomblob(16))) AS h);

-- What proves that a folder of attachments belongs to this file, and which of its uploads this file has (rule ATT-11).
-- attachments_id: a UUID made as the epoch is; copies keep it. attachments_token: a hash of all new contents so far.
INSERT INTO meta (key, value)
SELECT 'attachments_id',
       substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-4' || substr(h, 14, 3) || '-'
       || substr('89ab', 1 + (unicode(substr(h, 17, 1)) % 4), 1) || substr(h, 18, 3) || '-' || substr(h, 21, 12)
FROM (SELECT lower(hex(randomblob(16))) AS h);
INSERT INTO meta (key, value) VALUES ('attachments_token', hex(zeroblob(32)));

-- The keys of events up to this id are in live runs, and those of later events in event_key_tail.
INSERT INTO meta (key, value) VALUES ('last_keyed_event_id', 0);

-- Blocks below this one are sealed, or have too much metadata for it. It counts blocks of event_blocks.
INSERT INTO meta (key, value) VALUES ('sealed_below', 0);

-- The newest id that a deletion took (rule RET-05).
INSERT INTO meta (key, value) VALUES ('last_deletion_id', 0);

-- The newest quarter of an hour with sums (docs/decisions/0094-cost-of-a-group.md). An event of that quarter adds to its
-- rows alone, and an event of an earlier one also to the sums of all time. No row of a later quarter exists. The next
-- quarter adds the sums of this one to those of all time.
INSERT INTO meta (key, value) VALUES ('open_quarter', 0);

-- Every repeated string is here once, and events have its name id.
-- kind is the name of the field; those with "dictionary" in fields.json have names here.
CREATE TABLE names (
  id   INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  CONSTRAINT names_are_unique UNIQUE (kind, name)
) STRICT;

CREATE TABLE sessions (
  key                INTEGER PRIMARY KEY,
  session_id         TEXT    NOT NULL,
  agent_type         INTEGER NOT NULL, -- of its first event
  project            INTEGER,          -- project, branch, model: the newest that was given
  branch             INTEGER,
  model              INTEGER,
  started_at         INTEGER NOT NULL, -- the smallest time of its events; Unix milliseconds, as every time in this file
  last_event_at      INTEGER NOT NULL, -- the largest time of its events
  live_at            INTEGER,          -- the arrival of its newest event that is not history (rule TIM-03)
  ended_at           INTEGER,          -- the time of a session_end, while that is its newest event
  last_event_id      INTEGER NOT NULL,
  event_count        INTEGER NOT NULL,
  error_count        INTEGER NOT NULL,
  tokens_in          INTEGER NOT NULL,
  tokens_out         INTEGER NOT NULL,
  cache_read_tokens  INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  cost_nanos         INTEGER NOT NULL, -- nano-dollars
  first_event_id     INTEGER NOT NULL DEFAULT 0, -- where the rows of a session begin; last_event_id is where they end
  computed_cost_nanos INTEGER NOT NULL DEFAULT 0, -- raised by a statement of its own, which few events need
  unpriced_tokens    INTEGER NOT NULL DEFAULT 0, -- tokens of its events without a cost; raised as computed_cost_nanos is
  activity           INTEGER NOT NULL DEFAULT 0, -- the later one of last_event_at and live_at; it never falls
  CONSTRAINT session_ids_are_unique UNIQUE (session_id)
) STRICT;

-- What agents of a session wait for: at most one row for each agent (docs/decisions/0050-waiting-sessions.md). The
-- writer touches it for events that begin or end a wait, and for no others.
CREATE TABLE session_waits (
  session      INTEGER NOT NULL, -- sessions.key
  agent_id     TEXT    NOT NULL, -- empty for the main agent
  reason       TEXT    NOT NULL, -- one of waiting_reasons of vocabulary.json
  needs_answer INTEGER NOT NULL, -- 1: the status is waiting; 0: it is the user's turn
  since        INTEGER NOT NULL,
  event_id     INTEGER NOT NULL, -- of the event at since; the order of waits
  PRIMARY KEY (session, agent_id)
) STRICT, WITHOUT ROWID;

-- The list of sessions is ordered by newest activity. With the other columns a count since a time reads rows of sessions
-- that may be active alone.
CREATE INDEX sessions_by_activity ON sessions (activity, last_event_id, last_event_at, agent_type);

CREATE TABLE events (
  id                 INTEGER PRIMARY KEY,
  created_at         INTEGER NOT NULL,
  session            INTEGER NOT NULL, -- sessions.key
  agent_type         INTEGER NOT NULL, -- names.id, as the others below
  event_type         INTEGER NOT NULL,
  status             INTEGER NOT NULL,
  source             INTEGER NOT NULL,
  tool_name          INTEGER,
  branch             INTEGER,
  project            INTEGER,
  model              INTEGER,
  source_event       INTEGER,
  call_id            TEXT,
  agent_id           TEXT,
  response_id        TEXT,
  service_tier       INTEGER,
  subagent           INTEGER,
  skill              INTEGER,
  mcp_server         INTEGER,
  host               INTEGER,
  payload_truncated  INTEGER NOT NULL,
  metadata_bytes     INTEGER,          -- of a summary: the size of the whole text, where it is known (rule MET-04)
  history            INTEGER NOT NULL DEFAULT 0, -- 1: its time is long before its arrival (rule TIM-03)
  late               INTEGER NOT NULL DEFAULT 0, -- 1: its time is before that of an earlier row that is not late
  time_shift         INTEGER NOT NULL DEFAULT 0, -- its time is created_at + time_shift (rule TIM-01)
  tokens_in          INTEGER NOT NULL,
  tokens_out         INTEGER NOT NULL,
  cache_read_tokens  INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  cache_write_1h_tokens INTEGER NOT NULL DEFAULT 0, -- a part of cache_write_tokens
  duration_ms        INTEGER,
  cost_nanos         INTEGER,
  computed_cost_nanos INTEGER,         -- by the prices, where cost_nanos is NULL
  client_timestamp   INTEGER,
  arrived_at         INTEGER,
  event_id           ANY,              -- a canonical lower-case UUID as its 16 bytes, anything else as its text
  metadata           TEXT              -- NULL when it is longer than tuning.inline_metadata_bytes: it is in event_texts then
) STRICT;

-- The longer metadata of rows that are not sealed: the JSON text exactly as it was sent.
CREATE TABLE event_texts (
  id       INTEGER PRIMARY KEY, -- events.id
  metadata TEXT NOT NULL
) STRICT;

-- The longer metadata of older rows, and what a search needs of them (docs/decisions/0114-sealed-texts.md). A row is for
-- the events whose id divided by 256 is this id. A deletion writes it again, so each of its texts has an event.
CREATE TABLE sealed_texts (
  id             INTEGER PRIMARY KEY,
  metadata_bytes INTEGER NOT NULL, -- of all rows of the block, short metadata included
  filter         BLOB    NOT NULL, -- a Bloom filter of what q searches but UUIDs (rule GET-13); empty for any text
  texts          BLOB    NOT NULL  -- a zstd frame (RFC 8878): 256 lengths of 4 bytes, little end first, then the texts
) STRICT;

-- The whole metadata of events whose row has a summary (rule MET-04).
CREATE TABLE whole_texts (
  id   INTEGER PRIMARY KEY, -- events.id
  text BLOB NOT NULL        -- one zstd frame (RFC 8878) that declares its size, of the JSON text after redaction
) STRICT;

-- Rows that are not late have ascending times in the order of their ids, so this index orders the others alone
-- (docs/decisions/0113-time-of-an-event.md).
CREATE INDEX late_events_by_time ON events (created_at + time_shift) WHERE late = 1;

-- Files of events (rules ATT-01 to ATT-09). A row refers to a file in the folder next to the database. The name of the
-- file is the SHA-256 of its bytes. A start removes files whose rows were deleted.
CREATE TABLE attachments (
  event      INTEGER NOT NULL, -- events.id
  name       TEXT    NOT NULL,
  sha256     BLOB    NOT NULL, -- 32 bytes
  size       INTEGER NOT NULL, -- in bytes
  media_type TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (event, name)
) STRICT, WITHOUT ROWID;

-- The references to a file, oldest first. With the size, the sum of all files needs no row.
CREATE INDEX attachments_by_sha256 ON attachments (sha256, event, name, size);

-- Keys of accepted event ids in sorted runs (docs/decisions/0014-keys-in-sorted-runs.md).
-- A run: keys sorted as bytes, never changed once it is live.
-- Its blocks are event_key_blocks with id = run * limits.event_key_run_blocks + 0, 1, 2 …
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

-- Keys that are in no live run yet: a row for each group of events. A start reads them into memory. They do not depend
-- on the rows of events, so that a deleted event stays known. Rows up to last_keyed_event_id are in live runs and are
-- deleted with later groups. The newest row is the newest id that was given out: ids are never used again.
CREATE TABLE event_key_tail (
  id   INTEGER PRIMARY KEY, -- the newest event id of the group
  keys BLOB NOT NULL        -- 16 bytes each; empty where no event of the group has an event_id
) STRICT;

-- The names, sessions and times of the rows whose id divided by 256 is this id. Names and sessions are ascending
-- big-endian numbers of 4 bytes. A page with a filter reads only blocks that can have a matching row.
CREATE TABLE event_blocks (
  id         INTEGER PRIMARY KEY,
  first_time INTEGER,       -- the smallest and the largest time of its rows that are not late; NULL without such rows
  last_time  INTEGER,
  first_late INTEGER,       -- those of its late rows
  last_late  INTEGER,
  names      BLOB NOT NULL, -- names.id
  sessions   BLOB NOT NULL  -- sessions.key
) STRICT;

-- The names and times of the rows whose id divided by 65536 is this id, as in event_blocks. NULL stands for any name, when
-- there are more than limits.event_span_names. A page with a filter reads only the blocks of spans that can have a
-- matching row. The newest span has every time, so that few groups write to it. The first group of the next span gives it
-- the times of its blocks.
CREATE TABLE event_spans (
  id         INTEGER PRIMARY KEY,
  first_time INTEGER DEFAULT -9007199254740992,
  last_time  INTEGER DEFAULT 9007199254740992,
  first_late INTEGER,
  last_late  INTEGER,
  names      BLOB -- names.id
) STRICT;

-- Statistics by the time of events, raised in the transaction that stores the events. A quarter of an hour is the Unix
-- second of its beginning. The quarter 1000000000000000 is all time but the open quarter. It is above every quarter, so
-- that one range of quarters has both.
-- name = 0 is every event; otherwise names.id of a tool, model, branch … that the events have.
CREATE TABLE stats (
  quarter        INTEGER NOT NULL,
  name           INTEGER NOT NULL,
  agent_type     INTEGER NOT NULL,
  event_count    INTEGER NOT NULL,
  call_count     INTEGER NOT NULL, -- of a tool: the events that are calls; the columns below count these alone
  error_count    INTEGER NOT NULL,
  duration_count INTEGER NOT NULL, -- events that say a duration_ms
  duration_ms    INTEGER NOT NULL,
  tokens_in      INTEGER NOT NULL,
  tokens_out     INTEGER NOT NULL,
  cost_nanos     INTEGER NOT NULL,
  computed_cost_nanos INTEGER NOT NULL DEFAULT 0, -- as in sessions
  unpriced_tokens INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (quarter, name, agent_type)
) STRICT, WITHOUT ROWID;

-- The columns of a row as clients see them, in their order. Of sealed metadata it only says so; `dump` and the server have
-- the text.
CREATE VIEW events_readable AS
SELECT
  e.id,
  CASE typeof(e.event_id)
    WHEN 'blob' THEN lower(
      substr(hex(e.event_id), 1, 8) || '-' || substr(hex(e.event_id), 9, 4) || '-'
      || substr(hex(e.event_id), 13, 4) || '-' || substr(hex(e.event_id), 17, 4) || '-'
      || substr(hex(e.event_id), 21, 12))
    ELSE e.event_id
  END AS event_id,
  1 AS schema_version,
  (SELECT s.session_id FROM sessions AS s WHERE s.key = e.session) AS session_id,
  (SELECT n.name FROM names AS n WHERE n.id = e.agent_type) AS agent_type,
  (SELECT n.name FROM names AS n WHERE n.id = e.event_type) AS event_type,
  (SELECT n.name FROM names AS n WHERE n.id = e.tool_name) AS tool_name,
  (SELECT n.name FROM names AS n WHERE n.id = e.status) AS status,
  e.tokens_in,
  e.tokens_out,
  e.cache_read_tokens,
  e.cache_write_tokens,
  e.cache_write_1h_tokens,
  (SELECT n.name FROM names AS n WHERE n.id = e.branch) AS branch,
  (SELECT n.name FROM names AS n WHERE n.id = e.project) AS project,
  e.duration_ms,
  (SELECT n.name FROM names AS n WHERE n.id = e.model) AS model,
  (SELECT n.name FROM names AS n WHERE n.id = e.service_tier) AS service_tier,
  e.cost_nanos / 1e9 AS cost_usd,
  e.computed_cost_nanos / 1e9 AS computed_cost_usd,
  (SELECT n.name FROM names AS n WHERE n.id = e.source) AS source,
  (SELECT n.name FROM names AS n WHERE n.id = e.source_event) AS source_event,
  (SELECT n.name FROM names AS n WHERE n.id = e.host) AS host,
  e.call_id,
  e.response_id,
  e.agent_id,
  (SELECT n.name FROM names AS n WHERE n.id = e.subagent) AS subagent,
  (SELECT n.name FROM names AS n WHERE n.id = e.skill) AS skill,
  (SELECT n.name FROM names AS n WHERE n.id = e.mcp_server) AS mcp_server,
  strftime('%Y-%m-%dT%H:%M:%fZ', e.client_timestamp / 1000.0, 'unixepoch') AS client_timestamp,
  strftime('%Y-%m-%dT%H:%M:%fZ', e.arrived_at / 1000.0, 'unixepoch') AS arrived_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', e.created_at / 1000.0, 'unixepoch') AS created_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', (e.created_at + e.time_shift) / 1000.0, 'unixepoch') AS time,
  e.history,
  e.payload_truncated,
  e.metadata_bytes,
  coalesce(e.metadata, (SELECT t.metadata FROM event_texts AS t WHERE t.id = e.id), '{"_sealed":true}') AS metadata
FROM events AS e;
