-- Generated from contract/fields.json and contract/figures.json. Below schema 6 sums were those of hours of arrival, and a
-- session began and ended with arrivals.
UPDATE events SET time_shift = client_timestamp - created_at
WHERE client_timestamp BETWEEN 946684800000 AND created_at + 300000;
UPDATE events SET history = 1
WHERE time_shift < -600000
  AND source NOT IN (SELECT id FROM names WHERE kind = 'source' AND name IN ('hook', 'otel'));
UPDATE events SET late = 1
FROM (SELECT id, max(created_at + time_shift) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS last_time FROM events) AS b
WHERE b.id = events.id AND events.created_at + events.time_shift < b.last_time;
UPDATE event_blocks SET
  first_time = b.first_time, last_time = b.last_time, first_late = b.first_late, last_late = b.last_late
FROM (
  SELECT
    id >> 8 AS block,
    min(created_at + time_shift) FILTER (WHERE late = 0) AS first_time,
    max(created_at + time_shift) FILTER (WHERE late = 0) AS last_time,
    min(created_at + time_shift) FILTER (WHERE late = 1) AS first_late,
    max(created_at + time_shift) FILTER (WHERE late = 1) AS last_late
  FROM events GROUP BY 1
) AS b
WHERE b.block = event_blocks.id;
UPDATE event_spans AS s SET (first_time, last_time, first_late, last_late) = (
  SELECT min(b.first_time), max(b.last_time), min(b.first_late), max(b.last_late)
  FROM event_blocks AS b WHERE b.id BETWEEN s.id << 8 AND (s.id << 8) + 255
)
WHERE s.id < (SELECT max(id) FROM event_spans);
UPDATE sessions SET
  started_at = min(sessions.started_at, t.first_time),
  last_event_at = min(sessions.last_event_at, t.last_time),
  live_at = min(sessions.last_event_at, t.live_at),
  ended_at = min(sessions.ended_at, t.last_time),
  activity = max(t.last_time, ifnull(min(sessions.last_event_at, t.live_at), t.last_time))
FROM (
  SELECT session, min(created_at + time_shift) AS first_time, max(created_at + time_shift) AS last_time, max(created_at) FILTER (WHERE history = 0) AS live_at
  FROM events GROUP BY session
) AS t
WHERE t.session = sessions.key;
-- The sums of all time, with what was deleted.
UPDATE meta SET value = ifnull((SELECT value FROM meta WHERE key = 'open_hour'), value) WHERE key = 'open_quarter';
DELETE FROM meta WHERE key = 'open_hour';
CREATE TEMPORARY TABLE all_time AS
SELECT
  name, agent_type, sum(event_count) AS event_count, sum(call_count) AS call_count, sum(error_count) AS error_count,
  sum(duration_count) AS duration_count, sum(duration_ms) AS duration_ms, sum(tokens_in) AS tokens_in,
  sum(tokens_out) AS tokens_out, sum(cost_nanos) AS cost_nanos, sum(computed_cost_nanos) AS computed_cost_nanos,
  sum(unpriced_tokens) AS unpriced_tokens
FROM stats
WHERE quarter IN (1000000000000000, (SELECT value FROM meta WHERE key = 'open_quarter'))
GROUP BY name, agent_type;
DELETE FROM stats;
INSERT INTO stats (
  quarter, name, agent_type, event_count, call_count, error_count, duration_count, duration_ms, tokens_in, tokens_out,
  cost_nanos, computed_cost_nanos, unpriced_tokens
)
SELECT
  (e.created_at + e.time_shift) / 900000 * 900, 0, e.agent_type,
  ifnull(count(*), 0) AS event_count,
  0 AS call_count,
  ifnull(count(*) FILTER (WHERE e.status IS (SELECT id FROM names WHERE kind = 'status' AND name = 'error')), 0) AS error_count,
  ifnull(count(e.duration_ms), 0) AS duration_count,
  ifnull(sum(e.duration_ms), 0) AS duration_ms,
  ifnull(sum(e.tokens_in), 0) AS tokens_in,
  ifnull(sum(e.tokens_out), 0) AS tokens_out,
  ifnull(sum(e.cost_nanos), 0) AS cost_nanos,
  ifnull(sum(e.computed_cost_nanos), 0) AS computed_cost_nanos,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900, e.event_type, e.agent_type,
  ifnull(count(*), 0) AS event_count,
  0 AS call_count,
  ifnull(count(*) FILTER (WHERE e.status IS (SELECT id FROM names WHERE kind = 'status' AND name = 'error')), 0) AS error_count,
  ifnull(count(e.duration_ms), 0) AS duration_count,
  ifnull(sum(e.duration_ms), 0) AS duration_ms,
  ifnull(sum(e.tokens_in), 0) AS tokens_in,
  ifnull(sum(e.tokens_out), 0) AS tokens_out,
  ifnull(sum(e.cost_nanos), 0) AS cost_nanos,
  ifnull(sum(e.computed_cost_nanos), 0) AS computed_cost_nanos,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.event_type IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900, e.tool_name, e.agent_type,
  ifnull(count(*), 0) AS event_count,
  ifnull(count(*) FILTER (WHERE e.event_type IS NOT (SELECT id FROM names WHERE kind = 'event_type' AND name = 'plan_step')), 0) AS call_count,
  ifnull(count(*) FILTER (WHERE e.event_type IS NOT (SELECT id FROM names WHERE kind = 'event_type' AND name = 'plan_step') AND e.status IS (SELECT id FROM names WHERE kind = 'status' AND name = 'error')), 0) AS error_count,
  ifnull(count(e.duration_ms) FILTER (WHERE e.event_type IS NOT (SELECT id FROM names WHERE kind = 'event_type' AND name = 'plan_step')), 0) AS duration_count,
  ifnull(sum(e.duration_ms) FILTER (WHERE e.event_type IS NOT (SELECT id FROM names WHERE kind = 'event_type' AND name = 'plan_step')), 0) AS duration_ms,
  ifnull(sum(e.tokens_in) FILTER (WHERE e.event_type IS NOT (SELECT id FROM names WHERE kind = 'event_type' AND name = 'plan_step')), 0) AS tokens_in,
  ifnull(sum(e.tokens_out) FILTER (WHERE e.event_type IS NOT (SELECT id FROM names WHERE kind = 'event_type' AND name = 'plan_step')), 0) AS tokens_out,
  ifnull(sum(e.cost_nanos) FILTER (WHERE e.event_type IS NOT (SELECT id FROM names WHERE kind = 'event_type' AND name = 'plan_step')), 0) AS cost_nanos,
  ifnull(sum(e.computed_cost_nanos) FILTER (WHERE e.event_type IS NOT (SELECT id FROM names WHERE kind = 'event_type' AND name = 'plan_step')), 0) AS computed_cost_nanos,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END) FILTER (WHERE e.event_type IS NOT (SELECT id FROM names WHERE kind = 'event_type' AND name = 'plan_step')), 0) AS unpriced_tokens
FROM events AS e WHERE e.tool_name IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900, e.status, e.agent_type,
  ifnull(count(*), 0) AS event_count,
  0 AS call_count,
  ifnull(count(*) FILTER (WHERE e.status IS (SELECT id FROM names WHERE kind = 'status' AND name = 'error')), 0) AS error_count,
  ifnull(count(e.duration_ms), 0) AS duration_count,
  ifnull(sum(e.duration_ms), 0) AS duration_ms,
  ifnull(sum(e.tokens_in), 0) AS tokens_in,
  ifnull(sum(e.tokens_out), 0) AS tokens_out,
  ifnull(sum(e.cost_nanos), 0) AS cost_nanos,
  ifnull(sum(e.computed_cost_nanos), 0) AS computed_cost_nanos,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.status IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900, e.branch, e.agent_type,
  ifnull(count(*), 0) AS event_count,
  0 AS call_count,
  ifnull(count(*) FILTER (WHERE e.status IS (SELECT id FROM names WHERE kind = 'status' AND name = 'error')), 0) AS error_count,
  ifnull(count(e.duration_ms), 0) AS duration_count,
  ifnull(sum(e.duration_ms), 0) AS duration_ms,
  ifnull(sum(e.tokens_in), 0) AS tokens_in,
  ifnull(sum(e.tokens_out), 0) AS tokens_out,
  ifnull(sum(e.cost_nanos), 0) AS cost_nanos,
  ifnull(sum(e.computed_cost_nanos), 0) AS computed_cost_nanos,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.branch IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900, e.project, e.agent_type,
  ifnull(count(*), 0) AS event_count,
  0 AS call_count,
  ifnull(count(*) FILTER (WHERE e.status IS (SELECT id FROM names WHERE kind = 'status' AND name = 'error')), 0) AS error_count,
  ifnull(count(e.duration_ms), 0) AS duration_count,
  ifnull(sum(e.duration_ms), 0) AS duration_ms,
  ifnull(sum(e.tokens_in), 0) AS tokens_in,
  ifnull(sum(e.tokens_out), 0) AS tokens_out,
  ifnull(sum(e.cost_nanos), 0) AS cost_nanos,
  ifnull(sum(e.computed_cost_nanos), 0) AS computed_cost_nanos,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.project IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900, e.model, e.agent_type,
  ifnull(count(*), 0) AS event_count,
  0 AS call_count,
  ifnull(count(*) FILTER (WHERE e.status IS (SELECT id FROM names WHERE kind = 'status' AND name = 'error')), 0) AS error_count,
  ifnull(count(e.duration_ms), 0) AS duration_count,
  ifnull(sum(e.duration_ms), 0) AS duration_ms,
  ifnull(sum(e.tokens_in), 0) AS tokens_in,
  ifnull(sum(e.tokens_out), 0) AS tokens_out,
  ifnull(sum(e.cost_nanos), 0) AS cost_nanos,
  ifnull(sum(e.computed_cost_nanos), 0) AS computed_cost_nanos,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.model IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900, e.source, e.agent_type,
  ifnull(count(*), 0) AS event_count,
  0 AS call_count,
  ifnull(count(*) FILTER (WHERE e.status IS (SELECT id FROM names WHERE kind = 'status' AND name = 'error')), 0) AS error_count,
  ifnull(count(e.duration_ms), 0) AS duration_count,
  ifnull(sum(e.duration_ms), 0) AS duration_ms,
  ifnull(sum(e.tokens_in), 0) AS tokens_in,
  ifnull(sum(e.tokens_out), 0) AS tokens_out,
  ifnull(sum(e.cost_nanos), 0) AS cost_nanos,
  ifnull(sum(e.computed_cost_nanos), 0) AS computed_cost_nanos,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.source IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900, e.source_event, e.agent_type,
  ifnull(count(*), 0) AS event_count,
  0 AS call_count,
  ifnull(count(*) FILTER (WHERE e.status IS (SELECT id FROM names WHERE kind = 'status' AND name = 'error')), 0) AS error_count,
  ifnull(count(e.duration_ms), 0) AS duration_count,
  ifnull(sum(e.duration_ms), 0) AS duration_ms,
  ifnull(sum(e.tokens_in), 0) AS tokens_in,
  ifnull(sum(e.tokens_out), 0) AS tokens_out,
  ifnull(sum(e.cost_nanos), 0) AS cost_nanos,
  ifnull(sum(e.computed_cost_nanos), 0) AS computed_cost_nanos,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.source_event IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900, e.service_tier, e.agent_type,
  ifnull(count(*), 0) AS event_count,
  0 AS call_count,
  ifnull(count(*) FILTER (WHERE e.status IS (SELECT id FROM names WHERE kind = 'status' AND name = 'error')), 0) AS error_count,
  ifnull(count(e.duration_ms), 0) AS duration_count,
  ifnull(sum(e.duration_ms), 0) AS duration_ms,
  ifnull(sum(e.tokens_in), 0) AS tokens_in,
  ifnull(sum(e.tokens_out), 0) AS tokens_out,
  ifnull(sum(e.cost_nanos), 0) AS cost_nanos,
  ifnull(sum(e.computed_cost_nanos), 0) AS computed_cost_nanos,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.service_tier IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900, e.subagent, e.agent_type,
  ifnull(count(*), 0) AS event_count,
  0 AS call_count,
  ifnull(count(*) FILTER (WHERE e.status IS (SELECT id FROM names WHERE kind = 'status' AND name = 'error')), 0) AS error_count,
  ifnull(count(e.duration_ms), 0) AS duration_count,
  ifnull(sum(e.duration_ms), 0) AS duration_ms,
  ifnull(sum(e.tokens_in), 0) AS tokens_in,
  ifnull(sum(e.tokens_out), 0) AS tokens_out,
  ifnull(sum(e.cost_nanos), 0) AS cost_nanos,
  ifnull(sum(e.computed_cost_nanos), 0) AS computed_cost_nanos,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.subagent IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900, e.skill, e.agent_type,
  ifnull(count(*), 0) AS event_count,
  0 AS call_count,
  ifnull(count(*) FILTER (WHERE e.status IS (SELECT id FROM names WHERE kind = 'status' AND name = 'error')), 0) AS error_count,
  ifnull(count(e.duration_ms), 0) AS duration_count,
  ifnull(sum(e.duration_ms), 0) AS duration_ms,
  ifnull(sum(e.tokens_in), 0) AS tokens_in,
  ifnull(sum(e.tokens_out), 0) AS tokens_out,
  ifnull(sum(e.cost_nanos), 0) AS cost_nanos,
  ifnull(sum(e.computed_cost_nanos), 0) AS computed_cost_nanos,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.skill IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900, e.mcp_server, e.agent_type,
  ifnull(count(*), 0) AS event_count,
  0 AS call_count,
  ifnull(count(*) FILTER (WHERE e.status IS (SELECT id FROM names WHERE kind = 'status' AND name = 'error')), 0) AS error_count,
  ifnull(count(e.duration_ms), 0) AS duration_count,
  ifnull(sum(e.duration_ms), 0) AS duration_ms,
  ifnull(sum(e.tokens_in), 0) AS tokens_in,
  ifnull(sum(e.tokens_out), 0) AS tokens_out,
  ifnull(sum(e.cost_nanos), 0) AS cost_nanos,
  ifnull(sum(e.computed_cost_nanos), 0) AS computed_cost_nanos,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.mcp_server IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900, e.host, e.agent_type,
  ifnull(count(*), 0) AS event_count,
  0 AS call_count,
  ifnull(count(*) FILTER (WHERE e.status IS (SELECT id FROM names WHERE kind = 'status' AND name = 'error')), 0) AS error_count,
  ifnull(count(e.duration_ms), 0) AS duration_count,
  ifnull(sum(e.duration_ms), 0) AS duration_ms,
  ifnull(sum(e.tokens_in), 0) AS tokens_in,
  ifnull(sum(e.tokens_out), 0) AS tokens_out,
  ifnull(sum(e.cost_nanos), 0) AS cost_nanos,
  ifnull(sum(e.computed_cost_nanos), 0) AS computed_cost_nanos,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.host IS NOT NULL
GROUP BY 1, 2, 3;
UPDATE meta SET value = ifnull((SELECT max(quarter) FROM stats), value) WHERE key = 'open_quarter';
-- The sums of all time have every quarter but the open one.
CREATE TEMPORARY TABLE opened AS
SELECT * FROM stats WHERE quarter = (SELECT value FROM meta WHERE key = 'open_quarter');
UPDATE all_time SET
  event_count = event_count - (SELECT o.event_count FROM opened AS o WHERE o.name = all_time.name AND o.agent_type = all_time.agent_type),
  call_count = call_count - (SELECT o.call_count FROM opened AS o WHERE o.name = all_time.name AND o.agent_type = all_time.agent_type),
  error_count = error_count - (SELECT o.error_count FROM opened AS o WHERE o.name = all_time.name AND o.agent_type = all_time.agent_type),
  duration_count = duration_count - (SELECT o.duration_count FROM opened AS o WHERE o.name = all_time.name AND o.agent_type = all_time.agent_type),
  duration_ms = duration_ms - (SELECT o.duration_ms FROM opened AS o WHERE o.name = all_time.name AND o.agent_type = all_time.agent_type),
  tokens_in = tokens_in - (SELECT o.tokens_in FROM opened AS o WHERE o.name = all_time.name AND o.agent_type = all_time.agent_type),
  tokens_out = tokens_out - (SELECT o.tokens_out FROM opened AS o WHERE o.name = all_time.name AND o.agent_type = all_time.agent_type),
  cost_nanos = cost_nanos - (SELECT o.cost_nanos FROM opened AS o WHERE o.name = all_time.name AND o.agent_type = all_time.agent_type),
  computed_cost_nanos = computed_cost_nanos - (SELECT o.computed_cost_nanos FROM opened AS o WHERE o.name = all_time.name AND o.agent_type = all_time.agent_type),
  unpriced_tokens = unpriced_tokens - (SELECT o.unpriced_tokens FROM opened AS o WHERE o.name = all_time.name AND o.agent_type = all_time.agent_type)
WHERE EXISTS (SELECT 1 FROM opened AS o WHERE o.name = all_time.name AND o.agent_type = all_time.agent_type);
INSERT INTO stats (
  quarter, name, agent_type, event_count, call_count, error_count, duration_count, duration_ms, tokens_in, tokens_out,
  cost_nanos, computed_cost_nanos, unpriced_tokens
)
SELECT
  1000000000000000, name, agent_type, event_count, call_count, error_count, duration_count, duration_ms, tokens_in,
  tokens_out, cost_nanos, computed_cost_nanos, unpriced_tokens
FROM all_time WHERE event_count > 0;
DROP TABLE opened;
DROP TABLE all_time;
