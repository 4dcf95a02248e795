-- SQLite checkpoints automatically, since the plain servers have no checkpoints of their own.
PRAGMA wal_autocheckpoint = 1000;

-- A column for each field, with the checks of its values, and one unique index. `OR` is much faster than `IN`, for which
-- SQLite makes a table of the words in each statement.
CREATE TABLE IF NOT EXISTS events (
  id                 INTEGER PRIMARY KEY,
  event_id           TEXT             CHECK (octet_length(event_id) <= 256) UNIQUE,
  session_id         TEXT    NOT NULL CHECK (octet_length(session_id) <= 256),
  agent_type         TEXT    NOT NULL CHECK (octet_length(agent_type) <= 256),
  event_type         TEXT    NOT NULL CHECK (
    event_type = 'tool_use' OR event_type = 'session_start' OR event_type = 'session_end' OR event_type = 'error'
    OR event_type = 'llm_request' OR event_type = 'llm_response' OR event_type = 'response'
    OR event_type = 'file_change' OR event_type = 'git_commit' OR event_type = 'plan_step'
    OR event_type = 'user_prompt'
  ),
  tool_name          TEXT             CHECK (octet_length(tool_name) <= 256),
  status             TEXT    NOT NULL CHECK (status = 'success' OR status = 'error' OR status = 'timeout'),
  tokens_in          INTEGER NOT NULL CHECK (tokens_in >= 0),
  tokens_out         INTEGER NOT NULL CHECK (tokens_out >= 0),
  cache_read_tokens  INTEGER NOT NULL CHECK (cache_read_tokens >= 0),
  cache_write_tokens INTEGER NOT NULL CHECK (cache_write_tokens >= 0),
  cache_write_1h_tokens INTEGER NOT NULL CHECK (cache_write_1h_tokens >= 0),
  branch             TEXT             CHECK (octet_length(branch) <= 1024),
  project            TEXT             CHECK (octet_length(project) <= 1024),
  duration_ms        INTEGER          CHECK (duration_ms >= 0),
  model              TEXT             CHECK (octet_length(model) <= 256),
  service_tier       TEXT             CHECK (octet_length(service_tier) <= 128),
  cost_usd           REAL             CHECK (cost_usd BETWEEN 0 AND 1000000),
  source             TEXT    NOT NULL CHECK (
    source = 'api' OR source = 'hook' OR source = 'otel' OR source = 'import'
  ),
  source_event       TEXT             CHECK (octet_length(source_event) <= 128),
  host               TEXT             CHECK (octet_length(host) <= 256),
  call_id            TEXT             CHECK (octet_length(call_id) <= 256),
  response_id        TEXT             CHECK (octet_length(response_id) <= 256),
  agent_id           TEXT             CHECK (octet_length(agent_id) <= 256),
  subagent           TEXT             CHECK (octet_length(subagent) <= 256),
  skill              TEXT             CHECK (octet_length(skill) <= 256),
  mcp_server         TEXT             CHECK (octet_length(mcp_server) <= 256),
  client_timestamp   TEXT,
  arrived_at         TEXT,
  created_at         TEXT    NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  payload_truncated  INTEGER NOT NULL,
  metadata           TEXT    NOT NULL
) STRICT;

-- The columns of contract/fields.json in their order, for the audit.
CREATE VIEW IF NOT EXISTS events_readable AS
SELECT
  id, event_id, 1 AS schema_version, session_id, agent_type, event_type, tool_name, status,
  tokens_in, tokens_out, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, branch, project, duration_ms, model,
  service_tier, round(cost_usd * 1e9) / 1e9 AS cost_usd, NULL AS computed_cost_usd,
  source, source_event, host, call_id, response_id, agent_id, subagent, skill, mcp_server,
  client_timestamp, arrived_at, created_at, coalesce(client_timestamp, arrived_at, created_at) AS time, 0 AS history,
  payload_truncated, iif(payload_truncated, CAST(substr(metadata, 38) AS INTEGER), NULL) AS metadata_bytes, metadata
FROM events;
