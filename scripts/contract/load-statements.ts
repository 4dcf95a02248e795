/** Generates the statements of `contract/loads` that name fields and figures. */
import { type Fields, nameKinds } from './fields.ts';
import { type EventGroup, type Figure, type FigureFacts, figureOf } from './figures.ts';
import { lines } from './statements.ts';

/** Returns `0006_time.sql`, which counts the events of earlier schemas at their own times. */
export function loadTime(fields: Fields, facts: FigureFacts): string {
  const figures = facts.of.stats;
  const columns = figures.map(({ column }) => column);
  const names = ['0', ...nameKinds(fields).filter((kind) => kind !== 'agent_type')];
  const sums = names.map((kind) => {
    const column = kind === '0' ? '0' : `e.${fields.fields[kind]!.column}`;
    const own = figures.map((figure) => `  ${sumOf(figure, kind === 'tool_name')}`);
    return `SELECT
  (e.created_at + e.time_shift) / 900000 * 900, ${column}, e.agent_type,
${own.join(',\n')}
FROM events AS e${kind === '0' ? '' : ` WHERE ${column} IS NOT NULL`}
GROUP BY 1, 2, 3`;
  });
  const left = figures.map(
    ({ column }) => `${column} = ${column} - (SELECT o.${column} FROM opened AS o WHERE ${KEY})`,
  );
  return `-- Generated from contract/fields.json and contract/figures.json. Below schema 6 sums were those of hours of arrival, and a
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
${lines(['name', 'agent_type', ...columns.map((column) => `sum(${column}) AS ${column}`)])}
FROM stats
WHERE quarter IN (1000000000000000, (SELECT value FROM meta WHERE key = 'open_quarter'))
GROUP BY name, agent_type;
DELETE FROM stats;
INSERT INTO stats (
${lines(['quarter', 'name', 'agent_type', ...columns])}
)
${sums.join('\nUNION ALL\n')};
UPDATE meta SET value = ifnull((SELECT max(quarter) FROM stats), value) WHERE key = 'open_quarter';
-- The sums of all time have every quarter but the open one.
CREATE TEMPORARY TABLE opened AS
SELECT * FROM stats WHERE quarter = (SELECT value FROM meta WHERE key = 'open_quarter');
UPDATE all_time SET
${left.map((line) => `  ${line}`).join(',\n')}
WHERE EXISTS (SELECT 1 FROM opened AS o WHERE ${KEY});
INSERT INTO stats (
${lines(['quarter', 'name', 'agent_type', ...columns])}
)
SELECT
${lines(['1000000000000000', 'name', 'agent_type', ...columns])}
FROM all_time WHERE event_count > 0;
DROP TABLE opened;
DROP TABLE all_time;
`;
}

/** Returns `0008_unpriced.sql`, which counts the tokens without a price of earlier schemas. */
export function loadUnpriced(fields: Fields, facts: FigureFacts): string {
  const figure = figureOf(facts, 'unpriced_tokens');
  const { column } = figure;
  const names = ['0', ...nameKinds(fields).filter((kind) => kind !== 'agent_type')];
  const sums = names.map((kind) => {
    const name = kind === '0' ? '0' : `e.${fields.fields[kind]!.column}`;
    return `SELECT
  (e.created_at + e.time_shift) / 900000 * 900 AS quarter, ${name} AS name, e.agent_type,
  ${sumOf(figure, kind === 'tool_name')}
FROM events AS e${kind === '0' ? '' : ` WHERE ${name} IS NOT NULL`}
GROUP BY 1, 2, 3`;
  });
  const isSame = 'u.name = stats.name AND u.agent_type = stats.agent_type';
  return `-- Generated from contract/fields.json and contract/figures.json. Below schema 8 no sum had tokens without a price.
UPDATE sessions SET ${column} = u.${column}
FROM (SELECT e.session, ${sumOf(figure, false)} FROM events AS e GROUP BY 1) AS u
WHERE u.session = sessions.key;
CREATE TEMPORARY TABLE unpriced AS
${sums.join('\nUNION ALL\n')};
UPDATE stats SET ${column} = 0;
UPDATE stats SET ${column} = u.${column} FROM unpriced AS u WHERE u.quarter = stats.quarter AND ${isSame};
-- The sums of all time have every quarter but the open one.
UPDATE stats SET ${column} = u.${column}
FROM (
  SELECT name, agent_type, sum(${column}) AS ${column} FROM unpriced
  WHERE quarter <> (SELECT value FROM meta WHERE key = 'open_quarter')
  GROUP BY 1, 2
) AS u
WHERE stats.quarter = 1000000000000000 AND ${isSame};
DROP TABLE unpriced;
`;
}

const KEY = 'o.name = all_time.name AND o.agent_type = all_time.agent_type';

/** Returns the sum of a figure over the events of one name. */
function sumOf({ kind, column, values, words, over }: Figure, isTool: boolean): string {
  const groups: readonly EventGroup[] = isTool ? ['calls', 'steps'] : ['events'];
  const counted = groups.filter((group) => over.includes(group));
  if (counted.length === 0) return `0 AS ${column}`;
  const nameOf = (kind: string, name: string): string =>
    `(SELECT id FROM names WHERE kind = '${kind}' AND name = '${name}')`;
  const conditions = [
    ...(counted.length === groups.length ? [] : [`e.event_type IS NOT ${nameOf('event_type', 'plan_step')}`]),
    ...words.map(({ field, column: of, word }) => `e.${of} IS ${nameOf(field, word)}`),
  ];
  const filter = conditions.length === 0 ? '' : ` FILTER (WHERE ${conditions.join(' AND ')})`;
  const sum = kind === 'count' ? `count(${values ?? '*'})` : `sum(${values})`;
  return `ifnull(${sum}${filter}, 0) AS ${column}`;
}
