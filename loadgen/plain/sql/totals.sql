-- @active_since: a session is active when its newest event is later and did not end it.
SELECT
  count(*) AS total_events,
  (SELECT count(*) FROM (SELECT max(id), created_at, event_type FROM events GROUP BY session_id)
    WHERE created_at > @active_since AND event_type <> 'session_end') AS active_sessions,
  count(DISTINCT session_id) AS total_sessions,
  ifnull(sum(tokens_in), 0) AS total_tokens_in,
  ifnull(sum(tokens_out), 0) AS total_tokens_out,
  round(total(cost_usd) * 1e9) / 1e9 AS total_cost_usd, 0 AS total_computed_cost_usd,
  ifnull(sum(status = 'error'), 0) AS total_errors
FROM events
