/**
 * Generates the statements of `contract/queries` that name the fields of an event: one insert, and the pages in both
 * orders.
 */
import { type Fields, nameKinds } from './fields.ts';

/** Returns the columns of the table `events`, in the order of `insert_event.sql`. */
export function eventColumns({ fields, server_columns }: Fields): string[] {
  const own = Object.values(server_columns).flatMap(({ column }) => column ?? []);
  return [...own, ...Object.values(fields).map(({ column }) => column)];
}

/** Returns `insert_event.sql`. */
export function insertEvent(fields: Fields): string {
  const columns = eventColumns(fields);
  return (
    '-- Generated from contract/fields.json. A parameter has the name of its column.\n' +
    `INSERT INTO events (\n${lines(columns)}\n) VALUES (\n${lines(columns.map((column) => `:${column}`))}\n)\n`
  );
}

/**
 * Returns `select_events_newest.sql` and `select_events_oldest.sql`, with rows of the view `events_readable`. Also
 * returns `select_event_columns_*.sql`, with the stored columns in the order of a row.
 */
export function selectEvents(
  fields: Fields,
  order: 'newest' | 'oldest',
  rows: 'readable' | 'stored' = 'readable',
): string {
  const kinds = nameKinds(fields);
  const columnOf = (name: string): string => fields.fields[name]!.column;
  const texts = fields.filters.filter((name) => name !== 'session_id' && !kinds.includes(name));
  const each = (line: (name: string) => string): string => kinds.map(line).join('');
  const way = order === 'newest' ? 'DESC' : 'ASC';
  return `-- Generated from contract/fields.json. A page of rows, ${order} first. :above and :below bound the ids, :limit is how many.
-- :since (inclusive) and :until (exclusive) are Unix milliseconds, :session is the key of a session. A filter is a name
-- id or a text. NULL stands for any. Only spans of 65,536 rows are read, and of these only blocks of 256, whose summary
-- has every wanted number.
${rows === 'stored' ? STORED : ''}\
-- The plus keeps the value from the planner (decision 23).
WITH bounds (above, below) AS (
  SELECT
    max(
      :above,
      iif(:since IS NULL, :above, ifnull((SELECT min(first_id) - 1 FROM hours WHERE hour > :since / 1000 - 3600), :below)),
      iif(:session IS NULL, :above, (SELECT first_event_id - 1 FROM sessions WHERE key = :session))
    ),
    min(
      :below,
      iif(:until IS NULL, :below, ifnull((SELECT max(last_id) + 1 FROM hours WHERE hour <= :until / 1000), :above)),
      iif(:session IS NULL, :below, (SELECT last_event_id + 1 FROM sessions WHERE key = :session))
    )
)
${rows === 'stored' ? `SELECT\n${lines(rowColumns(fields).map((column) => `e.${column}`))}` : 'SELECT v.*'}
FROM event_spans AS s CROSS JOIN event_blocks AS b CROSS JOIN events AS e\
${rows === 'stored' ? '' : ' CROSS JOIN events_readable AS v ON v.id = e.id'}
WHERE s.id BETWEEN (SELECT above FROM bounds) >> 16 AND (SELECT below FROM bounds) >> 16
${each((name) => `  AND (:${name} IS NULL OR s.names IS NULL OR instr(s.names, unhex(printf('%08X', :${name}))))\n`)}\
  AND b.id BETWEEN max(s.id * 256, (SELECT above FROM bounds) >> 8)
    AND min(s.id * 256 + 255, (SELECT below FROM bounds) >> 8)
${each((name) => `  AND (:${name} IS NULL OR instr(b.names, unhex(printf('%08X', :${name}))))\n`)}\
  AND (:session IS NULL OR instr(b.sessions, unhex(printf('%08X', :session))))
  AND e.id > max(b.id * 256 - 1, (SELECT above FROM bounds))
  AND e.id < min(b.id * 256 + 256, (SELECT below FROM bounds))
${each((name) => `  AND (:${name} IS NULL OR e.${columnOf(name)} = :${name})\n`)}\
  AND (:since IS NULL OR e.created_at >= :since)
  AND (:until IS NULL OR e.created_at < :until)
  AND (:session IS NULL OR e.session = :session)
${texts.map((name) => `  AND (:${name} IS NULL OR e.${columnOf(name)} = :${name})\n`).join('')}\
ORDER BY s.id ${way}, b.id ${way}, e.id ${way}
LIMIT +:limit
`;
}

/** Returns `select_event_figures.sql`. */
export function selectEventFigures(fields: Fields): string {
  const names = nameKinds(fields).map((name) => fields.fields[name]!.column);
  return `-- Generated from contract/fields.json. What the sums and summaries of every event are made of, oldest first, for a check of
-- them. The names are the last columns, in the order of the fields.
SELECT
${lines([...FIGURES, ...names])}
FROM events
ORDER BY id
`;
}

const FIGURES = [
  'id',
  'created_at',
  'session',
  'event_id',
  'duration_ms',
  'tokens_in',
  'tokens_out',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost_nanos',
  'computed_cost_nanos',
];

const STORED = `-- The columns are those of a row in its order, but for schema_version. Names and sessions are ids, times are Unix
-- milliseconds, an event_id of 16 bytes is a UUID.
`;

/** Returns the stored columns of a row's members, in order. */
function rowColumns({ fields, server_columns, row }: Fields): string[] {
  return row.flatMap((name) => (fields[name] ?? server_columns[name])?.column ?? []);
}

/** Formats a list with up to 118 characters a line. */
function lines(items: readonly string[]): string {
  const all: string[] = [];
  for (const item of items) {
    const longer = `${all.at(-1)}, ${item}`;
    if (all.length > 0 && longer.length <= 118) all[all.length - 1] = longer;
    else all.push(`  ${item}`);
  }
  return all.join(',\n');
}
