-- Generated from contract/fields.json and contract/figures.json. Below schema 8 no sum had tokens without a price.
UPDATE sessions SET unpriced_tokens = u.unpriced_tokens
FROM (SELECT e.session, ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens FROM events AS e GROUP BY 1) AS u
WHERE u.session = sessions.key;
CREATE TEMPORARY TABLE unpriced AS
SELECT
  (e.created_at + e.time_shift) / 900000 * 900 AS quarter, 0 AS name, e.agent_type,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900 AS quarter, e.event_type AS name, e.agent_type,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.event_type IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900 AS quarter, e.tool_name AS name, e.agent_type,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END) FILTER (WHERE e.event_type IS NOT (SELECT id FROM names WHERE kind = 'event_type' AND name = 'plan_step')), 0) AS unpriced_tokens
FROM events AS e WHERE e.tool_name IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900 AS quarter, e.status AS name, e.agent_type,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.status IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900 AS quarter, e.branch AS name, e.agent_type,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.branch IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900 AS quarter, e.project AS name, e.agent_type,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.project IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900 AS quarter, e.model AS name, e.agent_type,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.model IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900 AS quarter, e.source AS name, e.agent_type,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.source IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900 AS quarter, e.source_event AS name, e.agent_type,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.source_event IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900 AS quarter, e.service_tier AS name, e.agent_type,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.service_tier IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900 AS quarter, e.subagent AS name, e.agent_type,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.subagent IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900 AS quarter, e.skill AS name, e.agent_type,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.skill IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900 AS quarter, e.mcp_server AS name, e.agent_type,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.mcp_server IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT
  (e.created_at + e.time_shift) / 900000 * 900 AS quarter, e.host AS name, e.agent_type,
  ifnull(sum(CASE WHEN e.cost_nanos IS NULL AND e.computed_cost_nanos IS NULL THEN min(e.tokens_in + e.tokens_out + e.cache_read_tokens + e.cache_write_tokens, 9007199254740991) END), 0) AS unpriced_tokens
FROM events AS e WHERE e.host IS NOT NULL
GROUP BY 1, 2, 3;
UPDATE stats SET unpriced_tokens = 0;
UPDATE stats SET unpriced_tokens = u.unpriced_tokens FROM unpriced AS u WHERE u.quarter = stats.quarter AND u.name = stats.name AND u.agent_type = stats.agent_type;
-- The sums of all time have every quarter but the open one.
UPDATE stats SET unpriced_tokens = u.unpriced_tokens
FROM (
  SELECT name, agent_type, sum(unpriced_tokens) AS unpriced_tokens FROM unpriced
  WHERE quarter <> (SELECT value FROM meta WHERE key = 'open_quarter')
  GROUP BY 1, 2
) AS u
WHERE stats.quarter = 1000000000000000 AND u.name = stats.name AND u.agent_type = stats.agent_type;
DROP TABLE unpriced;
