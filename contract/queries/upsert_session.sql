-- Generated from contract/figures.json.
-- What one group of events means for one session.
-- ?10 the first event's id counts for a new session only. ?12 whether an event ends or reopens it (rule SES-02), with
-- ?7 ended_at: the time of its end, else NULL.
-- ?11 whether one of its events is more than a dismissal, which is no activity (rule WAI-05).
-- The figures follow. Sums stop at the largest 64-bit integer (rule STA-06).
INSERT INTO sessions (
  key, session_id, agent_type, project, branch, model, ended_at, last_event_at, last_event_id, first_event_id,
  started_at, event_count, error_count, tokens_in, tokens_out, cache_read_tokens, cache_write_tokens, cost_nanos
) VALUES (
  ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?8, CAST(?13 AS INTEGER), CAST(?14 AS INTEGER), CAST(?15 AS INTEGER),
  CAST(?16 AS INTEGER), CAST(?17 AS INTEGER), CAST(?18 AS INTEGER), CAST(?19 AS INTEGER)
)
ON CONFLICT (key) DO UPDATE SET
  project = ifnull(excluded.project, project),
  branch = ifnull(excluded.branch, branch),
  model = ifnull(excluded.model, model),
  last_event_at = iif(?11, excluded.last_event_at, last_event_at),
  ended_at = iif(?12, excluded.ended_at, ended_at),
  last_event_id = excluded.last_event_id,
  event_count = event_count + excluded.event_count,
  error_count = error_count + excluded.error_count,
  tokens_in = iif(tokens_in > 9223372036854775807 - excluded.tokens_in, 9223372036854775807, tokens_in + excluded.tokens_in),
  tokens_out = iif(tokens_out > 9223372036854775807 - excluded.tokens_out, 9223372036854775807, tokens_out + excluded.tokens_out),
  cache_read_tokens = iif(cache_read_tokens > 9223372036854775807 - excluded.cache_read_tokens, 9223372036854775807, cache_read_tokens + excluded.cache_read_tokens),
  cache_write_tokens = iif(cache_write_tokens > 9223372036854775807 - excluded.cache_write_tokens, 9223372036854775807, cache_write_tokens + excluded.cache_write_tokens),
  cost_nanos = iif(cost_nanos > 9223372036854775807 - excluded.cost_nanos, 9223372036854775807, cost_nanos + excluded.cost_nanos)
