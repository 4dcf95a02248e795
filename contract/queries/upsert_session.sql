-- What one group of events means for one session. Sums stop at the largest 64-bit integer (rule STA-06).
-- ?17 the first event's id counts for a new session only. ?19 whether an event ends or reopens it (rule SES-02), with
-- ?7 ended_at: the time of its end, else NULL.
-- ?18 whether one of its events is more than a dismissal, which is no activity (rule WAI-05).
INSERT INTO sessions (
  key, session_id, agent_type, project, branch, model, started_at, last_event_at, ended_at, last_event_id,
  event_count, error_count, tokens_in, tokens_out, cache_read_tokens, cache_write_tokens, cost_nanos,
  first_event_id
) VALUES (
  ?1, ?2, ?3, ?4, ?5, ?6, ?8, ?8, ?7, ?9,
  CAST(?10 AS INTEGER), CAST(?11 AS INTEGER), CAST(?12 AS INTEGER), CAST(?13 AS INTEGER),
  CAST(?14 AS INTEGER), CAST(?15 AS INTEGER), CAST(?16 AS INTEGER),
  ?17
)
ON CONFLICT (key) DO UPDATE SET
  project       = ifnull(excluded.project, project),
  branch        = ifnull(excluded.branch, branch),
  model         = ifnull(excluded.model, model),
  last_event_at = iif(?18, excluded.last_event_at, last_event_at),
  ended_at      = iif(?19, excluded.ended_at, ended_at),
  last_event_id = excluded.last_event_id,
  event_count   = event_count + excluded.event_count,
  error_count   = error_count + excluded.error_count,
  tokens_in          = iif(tokens_in > 9223372036854775807 - excluded.tokens_in, 9223372036854775807, tokens_in + excluded.tokens_in),
  tokens_out         = iif(tokens_out > 9223372036854775807 - excluded.tokens_out, 9223372036854775807, tokens_out + excluded.tokens_out),
  cache_read_tokens  = iif(cache_read_tokens > 9223372036854775807 - excluded.cache_read_tokens, 9223372036854775807, cache_read_tokens + excluded.cache_read_tokens),
  cache_write_tokens = iif(cache_write_tokens > 9223372036854775807 - excluded.cache_write_tokens, 9223372036854775807, cache_write_tokens + excluded.cache_write_tokens),
  cost_nanos         = iif(cost_nanos > 9223372036854775807 - excluded.cost_nanos, 9223372036854775807, cost_nanos + excluded.cost_nanos)
