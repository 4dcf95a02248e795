-- The table of the plain servers: a column for each field, and one unique index.
CREATE TABLE IF NOT EXISTS events (
  id                 INTEGER PRIMARY KEY,
  event_id           TEXT UNIQUE,
  session_id         TEXT    NOT NULL,
  agent_type         TEXT    NOT NULL,
  event_type         TEXT    NOT NULL,
  tool_name          TEXT,
  status             TEXT    NOT NULL,
  tokens_in          INTEGER NOT NULL,
  tokens_out         INTEGER NOT NULL,
  cache_read_tokens  INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  branch             TEXT,
  project            TEXT,
  duration_ms        INTEGER,
  model              TEXT,
  cost_usd           REAL,
  source             TEXT    NOT NULL,
  source_event       TEXT,
  call_id            TEXT,
  agent_id           TEXT,
  client_timestamp   TEXT,
  created_at         TEXT    NOT NULL,
  payload_truncated  INTEGER NOT NULL,
  metadata           TEXT    NOT NULL
);

-- The columns of contract/fields.json in their order, for the audit.
CREATE VIEW IF NOT EXISTS events_readable AS
SELECT
  id, event_id, 1 AS schema_version, session_id, agent_type, event_type, tool_name, status,
  tokens_in, tokens_out, cache_read_tokens, cache_write_tokens, branch, project, duration_ms, model,
  round(cost_usd * 1e9) / 1e9 AS cost_usd, NULL AS computed_cost_usd,
  source, source_event, call_id, agent_id, client_timestamp, created_at, payload_truncated, metadata
FROM events;
