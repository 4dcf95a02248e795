-- Generated from contract/figures.json.
-- What one group of events means for one session.
-- ?8 and ?9 the smallest and the largest time of its events, ?10 the arrival of one that is not history, or NULL. Times
-- of dismissals count for a new session only, since they are no activity (rule WAI-05): ?13 whether there are others.
-- ?12 the first event's id counts for a new session only. ?14 is 1 if an event ends or reopens it (rule SES-02), else 0.
-- It is 2 for history, which counts only before the first live event. ?7 is the time of its end, or NULL.
-- The figures follow. Sums stop at the largest 64-bit integer (rule STA-06).
INSERT INTO sessions (
  key, session_id, agent_type, project, branch, model, ended_at, started_at, last_event_at, live_at, last_event_id,
  first_event_id, activity, event_count, error_count, tokens_in, tokens_out, cache_read_tokens, cache_write_tokens,
  cost_nanos
) VALUES (
  ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, iif(?10 > ?9, ?10, ?9), CAST(?15 AS INTEGER),
  CAST(?16 AS INTEGER), CAST(?17 AS INTEGER), CAST(?18 AS INTEGER), CAST(?19 AS INTEGER), CAST(?20 AS INTEGER),
  CAST(?21 AS INTEGER)
)
ON CONFLICT (key) DO UPDATE SET
  project = ifnull(excluded.project, project),
  branch = ifnull(excluded.branch, branch),
  model = ifnull(excluded.model, model),
  started_at = iif(?13 AND excluded.started_at < started_at, excluded.started_at, started_at),
  last_event_at = iif(?13 AND excluded.last_event_at > last_event_at, excluded.last_event_at, last_event_at),
  live_at = iif(?13, ifnull(excluded.live_at, live_at), live_at),
  activity = iif(?13 AND excluded.activity > activity, excluded.activity, activity),
  ended_at = iif(?14 = 1 OR (?14 = 2 AND live_at IS NULL), excluded.ended_at, ended_at),
  last_event_id = excluded.last_event_id,
  event_count = event_count + excluded.event_count,
  error_count = error_count + excluded.error_count,
  tokens_in = iif(tokens_in > 9223372036854775807 - excluded.tokens_in, 9223372036854775807, tokens_in + excluded.tokens_in),
  tokens_out = iif(tokens_out > 9223372036854775807 - excluded.tokens_out, 9223372036854775807, tokens_out + excluded.tokens_out),
  cache_read_tokens = iif(cache_read_tokens > 9223372036854775807 - excluded.cache_read_tokens, 9223372036854775807, cache_read_tokens + excluded.cache_read_tokens),
  cache_write_tokens = iif(cache_write_tokens > 9223372036854775807 - excluded.cache_write_tokens, 9223372036854775807, cache_write_tokens + excluded.cache_write_tokens),
  cost_nanos = iif(cost_nanos > 9223372036854775807 - excluded.cost_nanos, 9223372036854775807, cost_nanos + excluded.cost_nanos)
