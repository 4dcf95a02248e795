-- The answer as JSON. A session is active when its newest event that is not history (rule TIM-03) is at most five minutes
-- old and did not end it.
SELECT json_object(
  'total_events', count(*),
  'active_sessions', (
    SELECT count(*) FROM (
      SELECT max(id), created_at, event_type FROM events
      WHERE strftime('%Y-%m-%dT%H:%M:%fZ', created_at, '-10 minutes')
        <= coalesce(iif(source = 'hook' OR source = 'otel', NULL, client_timestamp), arrived_at, created_at)
      GROUP BY session_id
    )
    WHERE created_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-5 minutes') AND event_type <> 'session_end'
  ),
  'total_sessions', count(DISTINCT session_id),
  'total_tokens_in', ifnull(sum(tokens_in), 0),
  'total_tokens_out', ifnull(sum(tokens_out), 0),
  'total_cost_usd', round(total(cost_usd) * 1e9) / 1e9,
  'total_computed_cost_usd', 0,
  'total_unpriced_tokens', ifnull(
    sum(tokens_in + tokens_out + cache_read_tokens + cache_write_tokens) FILTER (WHERE cost_usd IS NULL), 0
  ),
  'total_errors', ifnull(sum(status = 'error'), 0),
  'tools', json((
    SELECT json_group_array(json_object('name', tool_name, 'count', count) ORDER BY count DESC, tool_name)
    FROM (
      SELECT tool_name, count(*) AS count FROM events
      WHERE tool_name IS NOT NULL AND event_type <> 'plan_step' GROUP BY tool_name
    )
  )),
  'agents', json((
    SELECT json_group_array(json_object('name', agent_type, 'count', count) ORDER BY count DESC, agent_type)
    FROM (SELECT agent_type, count(*) AS count FROM events GROUP BY agent_type)
  )),
  'models', json((
    SELECT json_group_array(json_object('name', model, 'count', count) ORDER BY count DESC, model)
    FROM (SELECT model, count(*) AS count FROM events WHERE model IS NOT NULL GROUP BY model)
  )),
  'event_types', json((
    SELECT json_group_array(json_object('name', event_type, 'count', count) ORDER BY count DESC, event_type)
    FROM (SELECT event_type, count(*) AS count FROM events GROUP BY event_type)
  )),
  'branches', json((
    SELECT json_group_array(json_object('name', branch, 'count', count) ORDER BY count DESC, branch)
    FROM (SELECT branch, count(*) AS count FROM events WHERE branch IS NOT NULL GROUP BY branch)
  ))
) FROM events
