/**
 * Generates the statements of `contract/queries` that name figures: what the writer adds, what a deletion subtracts, what
 * a check reads, and the rows of responses.
 *
 * Over 250 lines because every statement with figures is here.
 */
import { type Figure, type FigureFacts, figureOf, membersOf, type Ratio, type Table } from './figures.ts';
import { selectSession, selectSessions } from './session-statements.ts';
import { lines } from './statements.ts';

const GENERATED = '-- Generated from contract/figures.json.\n--';
/** The largest integer of SQLite, where stored sums stop (rule STA-06). */
const LARGEST = '9223372036854775807';
/** Where sums that are read stop. */
const MOST = '9223372036854775808.0';

/** Returns every statement that follows from the figures, by the name of its file. */
export function figureStatements(facts: FigureFacts): Readonly<Record<string, string>> {
  return {
    add_quarter_to_all_time: addQuarterToAllTime(facts),
    add_rare_figures_to_session: addRare(facts, 'sessions', ['key']),
    add_rare_figures_to_stats: addRare(facts, 'stats', STATS_KEY),
    select_cost_timeline: selectCostTimeline(facts),
    select_costs: selectCosts(facts),
    select_series_sums: selectSeriesSums(facts),
    select_series_sums_by_name: selectSeriesSumsByName(facts),
    select_session: selectSession(facts),
    select_session_sums: selectSessionSums(facts),
    select_sessions: selectSessions(facts),
    select_stats_sums: selectStatsSums(facts),
    select_tools: selectTools(facts),
    select_totals: selectTotals(facts),
    subtract_from_session: subtractFromSession(facts),
    subtract_from_stats: subtractFromStats(facts),
    upsert_session: upsertSession(facts),
    upsert_stats: upsertStats(facts),
  };
}

const STATS_KEY = ['quarter', 'name', 'agent_type'];
const columnsIn = (figures: readonly Figure[]): string[] => figures.map(({ column }) => column);
const usual = (figures: readonly Figure[]): Figure[] => figures.filter(({ rare }) => !rare);
const parameters = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `CAST(?${first + at} AS INTEGER)`);

/** Returns an assignment that adds an amount; a sum stops at the largest integer. */
function added({ kind, column }: Figure, amount: string): string {
  if (kind === 'count') return `  ${column} = ${column} + ${amount}`;
  return `  ${column} = iif(${column} > ${LARGEST} - ${amount}, ${LARGEST}, ${column} + ${amount})`;
}

/** Returns an assignment that subtracts an amount; a sum that stopped at the largest integer stays there. */
function subtracted({ kind, column }: Figure, amount: string): string {
  if (kind === 'count') return `  ${column} = ${column} - ${amount}`;
  return `  ${column} = iif(${column} = ${LARGEST}, ${column}, ${column} - ${amount})`;
}

const excluded = (figure: Figure): string => added(figure, `excluded.${figure.column}`);

/** Returns the number that a response has for the sum of a column. */
function shown({ kind, unit }: Figure, column: string): string {
  if (kind === 'count') return `sum(${column})`;
  return `min(total(${column}), ${MOST})${unit === 'dollars' ? ' / 1e9' : ''}`;
}

/** Returns the sum of a column before it is shown. */
function summed({ kind, column }: Figure, table: string): string {
  return `${kind === 'count' ? 'sum' : 'total'}(${table}.${column})`;
}

function upsertStats({ of }: FigureFacts): string {
  const figures = usual(of.stats);
  return `${GENERATED} What one group of events means for one name and agent, in one quarter of an hour or of all time.
-- ?1 quarter, ?2 name, ?3 agent_type, then the figures. Sums stop at the largest 64-bit integer (rule STA-06).
INSERT INTO stats (
${lines([...STATS_KEY, ...columnsIn(figures)])}
) VALUES (
${lines(['?1', '?2', '?3', ...parameters(4, figures.length)])}
)
ON CONFLICT (quarter, name, agent_type) DO UPDATE SET
${figures.map(excluded).join(',\n')}
`;
}

/** The columns of a session that are no figures, as the parameters ?1 to ?12. */
const SESSION_COLUMNS = [
  'key',
  'session_id',
  'agent_type',
  'project',
  'branch',
  'model',
  'ended_at',
  'started_at',
  'last_event_at',
  'live_at',
  'last_event_id',
  'first_event_id',
];

function upsertSession({ of }: FigureFacts): string {
  const figures = usual(of.sessions);
  const own = SESSION_COLUMNS.map((_, at) => `?${at + 1}`);
  return `${GENERATED} What one group of events means for one session.
-- ?8 and ?9 the smallest and the largest time of its events, ?10 the arrival of one that is not history, or NULL. Times
-- of dismissals count for a new session only, since they are no activity (rule WAI-05): ?13 whether there are others.
-- ?12 the first event's id counts for a new session only. ?14 is 1 if an event ends or reopens it (rule SES-02), else 0.
-- It is 2 for history, which counts only before the first live event. ?7 is the time of its end, or NULL.
-- The figures follow. Sums stop at the largest 64-bit integer (rule STA-06).
INSERT INTO sessions (
${lines([...SESSION_COLUMNS, 'activity', ...columnsIn(figures)])}
) VALUES (
${lines([...own, 'iif(?10 > ?9, ?10, ?9)', ...parameters(15, figures.length)])}
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
${figures.map(excluded).join(',\n')}
`;
}

/** Returns the statement for the figures that few events have; the row is there. */
function addRare({ of }: FigureFacts, table: Table, keys: readonly string[]): string {
  const figures = of[table].filter(({ rare }) => rare);
  const key = keys.map((column, at) => `${column} = ?${at + 1}`).join(' AND ');
  const sets = figures.map((figure, at) => added(figure, `CAST(?${keys.length + 1 + at} AS INTEGER)`));
  return `${GENERATED} What one group of events adds to figures that few events have. The group has written the row.
-- ${keys.map((column, at) => `?${at + 1} ${column}`).join(', ')}, then ${columnsIn(figures).join(', ')}. Sums stop at the largest 64-bit integer (rule STA-06).
UPDATE ${table} SET
${sets.join(',\n')}
WHERE ${key}
`;
}

function addQuarterToAllTime({ of }: FigureFacts): string {
  const columns = columnsIn(of.stats);
  return `${GENERATED} Adds the sums of the open quarter to those of all time. ?1 the quarter of the sums of all time, ?2 the
-- open quarter. Sums stop at the largest 64-bit integer (rule STA-06).
INSERT INTO stats (
${lines([...STATS_KEY, ...columns])}
)
SELECT
${lines(['CAST(?1 AS INTEGER)', 'name', 'agent_type', ...columns])}
FROM stats WHERE quarter = ?2
ON CONFLICT (quarter, name, agent_type) DO UPDATE SET
${of.stats.map(excluded).join(',\n')}
`;
}

function subtractFromStats({ of }: FigureFacts): string {
  return `${GENERATED} Takes deleted events out of the sums of a name and agent in a quarter of an hour, or of all
-- time. Returns the events that are left. ?1 quarter, ?2 name, ?3 agent_type, then the figures. A sum that stopped at the largest integer (rule
-- STA-06) stays there.
UPDATE stats SET
${of.stats.map((figure, at) => subtracted(figure, `?${at + 4}`)).join(',\n')}
WHERE quarter = ?1 AND name = ?2 AND agent_type = ?3
RETURNING event_count
`;
}

function subtractFromSession({ of }: FigureFacts): string {
  return `${GENERATED} Takes deleted events out of the sums of a session. ?1 its key, then the figures. A sum that stopped at the
-- largest integer (rule STA-06) stays there.
UPDATE sessions SET
${of.sessions.map((figure, at) => subtracted(figure, `?${at + 2}`)).join(',\n')}
WHERE key = ?1
`;
}

function selectStatsSums({ of }: FigureFacts): string {
  return `${GENERATED} Every row of the statistics, which a check compares with the events.
SELECT
${lines([...STATS_KEY, ...columnsIn(of.stats)])}
FROM stats
`;
}

function selectSessionSums({ of }: FigureFacts): string {
  return `${GENERATED} The sums of every session, which a check compares with its events.
SELECT
${lines(['key', 'first_event_id', 'last_event_id', ...columnsIn(of.sessions)])}
FROM sessions
`;
}

function selectTotals(facts: FigureFacts): string {
  const members = membersOf(facts, facts.responses.stats).map(([member, figure]) => {
    const sum = shown(figure, figure.column);
    return `  ${figure.kind === 'count' ? `ifnull(${sum}, 0)` : sum} AS ${member}`;
  });
  return `${GENERATED} The figures of GET /api/stats. ?1 the first quarter, ?2 the last quarter, ?3 agent_type by number or
-- NULL. All time is from the open quarter to the quarter of its sums.
SELECT
${members.join(',\n')}
FROM stats
WHERE quarter BETWEEN ?1 AND ?2 AND name = 0 AND (?3 IS NULL OR agent_type = ?3)
`;
}

function selectCosts(facts: FigureFacts): string {
  const members = membersOf(facts, facts.responses.cost);
  const figures = members.map(([, figure]) => figure);
  const inner = figures.map((figure) => `    ${summed(figure, 's')} AS ${figure.column}`);
  return `${GENERATED} Cost by names of one kind (?4), by number of events. First ?5 names, then the sum of the others as a
-- name NULL (rule GET-11). ?1, ?2, ?3 as in select_totals.sql. The plus keeps the value from the planner (decision 23).
WITH counted AS (
  SELECT
    n.name,
${inner.join(',\n')}
  FROM stats AS s JOIN names AS n ON n.id = s.name
  WHERE s.quarter BETWEEN ?1 AND ?2 AND n.kind = +?4 AND (?3 IS NULL OR s.agent_type = ?3)
  GROUP BY s.name
),
placed AS (SELECT *, min(row_number() OVER (ORDER BY event_count DESC, name), ?5 + 1) AS place FROM counted)
SELECT
  iif(place > ?5, NULL, name) AS name,
${members.map(([member, figure]) => `  ${shown(figure, figure.column)} AS ${member}`).join(',\n')}
FROM placed
GROUP BY place
ORDER BY place
`;
}

function selectCostTimeline(facts: FigureFacts): string {
  const members = membersOf(facts, facts.responses.cost);
  return `${GENERATED} Hourly buckets, oldest first, without those in which nothing came. ?1 the first quarter, ?2 the last
-- quarter, ?3 agent_type by number or NULL, ?4 how many of the newest. Each step finds the hour before, so that older
-- quarters are not read. The plus keeps the value from the planner (decision 23).
WITH RECURSIVE hours (hour, place) AS (
  SELECT ?2 + 1, 0
  UNION ALL
  SELECT
    (
      SELECT quarter / 3600 * 3600 FROM stats
      WHERE quarter >= ?1 AND quarter < h.hour AND name = 0 AND (?3 IS NULL OR agent_type = ?3)
      ORDER BY quarter DESC LIMIT 1
    ),
    h.place + 1
  FROM hours AS h WHERE h.hour IS NOT NULL AND h.place < +?4
)
SELECT
  h.hour,
  strftime('%Y-%m-%dT%H:%M:%fZ', h.hour, 'unixepoch') AS bucket,
${members.map(([member, figure]) => `  ${shown(figure, figure.column)} AS ${member}`).join(',\n')}
FROM hours AS h
CROSS JOIN stats AS s ON s.quarter BETWEEN max(h.hour, ?1) AND min(h.hour + 3599, ?2) AND s.name = 0
WHERE h.place > 0 AND (?3 IS NULL OR s.agent_type = ?3)
GROUP BY h.hour
ORDER BY h.hour
`;
}

function selectTools(facts: FigureFacts): string {
  const members = Object.entries(facts.responses.tool).map(([member, one]) => {
    if (typeof one !== 'string') return `  ${quotient(facts, one)} AS ${member}`;
    const figure = figureOf(facts, one);
    return `  ${shown(figure, figure.column)} AS ${member}`;
  });
  const names = Object.values(facts.responses.tool).flatMap((one) =>
    typeof one === 'string' ? [one] : [one.of, one.per],
  );
  const inner = [...new Set(['call_count', ...names])].map((name) => {
    const figure = figureOf(facts, name);
    return `    ${summed(figure, 's')} AS ${figure.column}`;
  });
  return `${GENERATED} Tools by number of calls: the first ?4, then the sums of the others as a name NULL (rule GET-11). Other
-- parameters as in select_totals.sql.
WITH counted AS (
  SELECT
    n.name,
${inner.join(',\n')},
    s.name AS name_id
  FROM stats AS s JOIN names AS n ON n.id = s.name
  WHERE s.quarter BETWEEN ?1 AND ?2 AND n.kind = 'tool_name' AND (?3 IS NULL OR s.agent_type = ?3)
  GROUP BY s.name
  HAVING sum(s.call_count) > 0
),
placed AS (SELECT *, min(row_number() OVER (ORDER BY call_count DESC, name), ?4 + 1) AS place FROM counted)
SELECT
  iif(place > ?4, NULL, name) AS tool_name,
${members.join(',\n')},
  iif(place > ?4, NULL, name_id) AS name_id
FROM placed
GROUP BY place
ORDER BY place
`;
}

/** Returns a rounded quotient of two figures; NULL without a divisor. A listed tool has calls. */
function quotient(facts: FigureFacts, { of, per, decimals }: Ratio): string {
  const [figure, divisor] = [figureOf(facts, of), figureOf(facts, per)];
  const sum = shown(figure, figure.column);
  const real = figure.kind === 'count' ? `CAST(${sum} AS REAL)` : sum;
  const rounded = `round(${real} / ${shown(divisor, divisor.column)}, ${decimals})`;
  return per === 'call_count' ? rounded : `iif(${shown(divisor, divisor.column)} = 0, NULL, ${rounded})`;
}

/** The quarters of one bucket that have sums, found one after the other by the primary key. */
const QUARTERS = `\
WITH RECURSIVE quarters (quarter) AS (
  SELECT min(quarter) FROM stats WHERE quarter >= :since AND quarter < :until
  UNION ALL
  SELECT (SELECT min(s.quarter) FROM stats AS s WHERE s.quarter > q.quarter AND s.quarter < :until)
  FROM quarters AS q WHERE q.quarter IS NOT NULL
)
`;

function selectSeriesSums(facts: FigureFacts): string {
  return `${GENERATED} Stored sums of one bucket of time, of every event or of those with one name, and by agent when asked
-- for (rule SER-03). :since and :until are quarters of an hour in Unix seconds, until exclusive. :name is a name id, 0 for
-- every event. :agent_type is a name id, or NULL for any. :by_agent and :calls are 1 or 0: whether the name is that of the
-- agent, whether only calls count. The plus keeps the value from the planner (decision 23).
${QUARTERS}\
SELECT
  iif(:by_agent, s.agent_type, 0) AS name,
${storedSeries(facts)}
FROM quarters AS q CROSS JOIN stats AS s ON s.quarter = q.quarter AND s.name = +:name
WHERE :agent_type IS NULL OR s.agent_type = :agent_type
GROUP BY 1
`;
}

function selectSeriesSumsByName(facts: FigureFacts): string {
  return `${GENERATED} Stored sums of one bucket of time by name of the kind :kind (rule SER-03). :names are the name ids of
-- their own, as a JSON array; all others together have the name 0. Other parameters as in select_series_sums.sql.
SELECT
  iif(s.name IN (SELECT value FROM json_each(:names)), s.name, 0) AS name,
${storedSeries(facts)}
FROM stats AS s CROSS JOIN names AS n ON n.id = s.name
WHERE s.quarter >= :since AND s.quarter < :until AND (:agent_type IS NULL OR s.agent_type = :agent_type)
  AND n.kind = +:kind
GROUP BY 1
`;
}

/** Returns the sums of a series from the statistics. Of a tool only calls count, also where a figure has its steps. */
function storedSeries(facts: FigureFacts): string {
  return membersOf(facts, facts.responses.series)
    .map(([, figure]) => {
      const hasSteps = figure.over.includes('steps');
      const sum = hasSteps ? `sum(iif(:calls, s.call_count, s.${figure.column}))` : summed(figure, 's');
      return `  ${sum} AS ${figure.column}`;
    })
    .join(',\n');
}

/** Returns the sums of a series from rows of `events`, one a line. */
export function seriesOfRows(facts: FigureFacts): string {
  return membersOf(facts, facts.responses.series)
    .map(([, figure]) => `  ${overRows(figure)} AS ${figure.column}`)
    .join(',\n');
}

function overRows({ kind, values, words }: Figure): string {
  if (kind === 'sum') return `total(${values})`;
  const conditions = words.map(
    ({ field, column, word }) =>
      `e.${column} = (SELECT n.id FROM names AS n WHERE n.kind = '${field}' AND n.name = '${word}')`,
  );
  const count = `count(${values ?? '*'})`;
  return conditions.length === 0 ? count : `${count} FILTER (WHERE ${conditions.join(' AND ')})`;
}
