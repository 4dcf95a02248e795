/**
 * Generates the statements of `contract/queries` that name the fields of an event. These are one insert, the rows of a
 * page in both orders, and the summaries that a page searches.
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
  const equal = (name: string): string => `  AND (:${name} IS NULL OR e.${columnOf(name)} = :${name})\n`;
  return `-- Generated from contract/fields.json. Rows with ids above :above and below :below, ${order} first, up to :limit.
-- :since (inclusive) and :until (exclusive) are Unix milliseconds, :session is the key of a session. A filter is a name
-- id or a text. NULL stands for any.
${rows === 'stored' ? STORED : ''}\
-- The plus keeps the value from the planner (decision 23).
${rows === 'stored' ? `SELECT\n${lines(rowColumns(fields).map((column) => `e.${column}`))}` : 'SELECT v.*'}
FROM events AS e${rows === 'stored' ? '' : ' CROSS JOIN events_readable AS v ON v.id = e.id'}
WHERE e.id > :above AND e.id < :below
${kinds.map(equal).join('')}\
  AND (:since IS NULL OR e.created_at >= :since)
  AND (:until IS NULL OR e.created_at < :until)
  AND (:session IS NULL OR e.session = :session)
${texts.map(equal).join('')}\
ORDER BY e.id ${directionOf(order)}
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

/** Returns `select_event_spans_newest.sql` and `select_event_spans_oldest.sql`. */
export function selectEventSpans(fields: Fields, order: 'newest' | 'oldest'): string {
  return `-- Generated from contract/fields.json. Spans from :first to :last, ${order} first, whose summary has every wanted name id
-- (rule GET-12). NULL stands for any.
SELECT id FROM event_spans
WHERE id BETWEEN :first AND :last
${nameKinds(fields)
  .map(
    (name) => `  AND (:${name} IS NULL OR names IS NULL OR instr(names, unhex(printf('%08X', :${name}))))\n`,
  )
  .join('')}\
ORDER BY id ${directionOf(order)}
`;
}

/** Returns `select_event_blocks_newest.sql` and `select_event_blocks_oldest.sql`. */
export function selectEventBlocks(fields: Fields, order: 'newest' | 'oldest'): string {
  return `-- Generated from contract/fields.json. Blocks from :first to :last, ${order} first, whose summary has every wanted name
-- id, and the session with the key :session (rule GET-12). NULL stands for any.
SELECT id FROM event_blocks
WHERE id BETWEEN :first AND :last
${nameKinds(fields)
  .map((name) => `  AND (:${name} IS NULL OR instr(names, unhex(printf('%08X', :${name}))))\n`)
  .join('')}\
  AND (:session IS NULL OR instr(sessions, unhex(printf('%08X', :session))))
ORDER BY id ${directionOf(order)}
`;
}

function directionOf(order: 'newest' | 'oldest'): string {
  return order === 'newest' ? 'DESC' : 'ASC';
}

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
