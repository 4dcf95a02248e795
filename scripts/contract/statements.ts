/**
 * Generates the statements of `contract/queries` that name the fields of an event. These are one insert, the rows of a
 * page in both orders, and the summaries that a page searches.
 */
import { type Fields, nameKinds } from './fields.ts';

/** The columns of the table `events` that no row shows: they give the order by time. */
export const HIDDEN: readonly string[] = ['late', 'time_shift'];
/** The time of a row (rule TIM-01). */
const TIME = '(e.created_at + e.time_shift)';

/**
 * The metadata of a row (docs/decisions/0114-sealed-texts.md). The servers have both functions. `sealed_text` returns the
 * text of a row from the block of its second value, which it keeps. `has_block` returns whether it has that of the row.
 */
export const METADATA = `coalesce(
    e.metadata,
    (SELECT t.metadata FROM event_texts AS t WHERE t.id = e.id),
    sealed_text(e.id, iif(has_block(e.id), NULL, (SELECT s.texts FROM sealed_texts AS s WHERE s.id = e.id >> 8)))
  )`;

/** Returns the columns of the table `events`, in the order of `insert_event.sql`. */
export function eventColumns({ fields, server_columns }: Fields): string[] {
  const own = Object.values(server_columns).flatMap(({ column }) => column ?? []);
  return [...own, ...HIDDEN, ...Object.values(fields).map(({ column }) => column)];
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
  return `-- Generated from contract/fields.json. Rows with ids above :above and below :below, ${order} first, up to :limit.
${PARAMETERS}\
${rows === 'stored' ? STORED : ''}\
-- The plus keeps the value from the planner (decision 23).
SELECT
${rows === 'stored' ? lines(rowColumns(fields).map(ofEvent)) : readable(fields)}
FROM events AS e${rows === 'stored' ? '' : ' CROSS JOIN events_readable AS v ON v.id = e.id'}
${conditions(fields)}\
ORDER BY e.id ${directionOf(order)}
LIMIT +:limit
`;
}

/** Returns `select_event.sql`: one row of the view, with its whole metadata. */
export function selectEvent(fields: Fields): string {
  return `-- Generated from contract/fields.json. The row with the id ?1, and its whole metadata. unpack_text is a function of the
-- servers: the text of a zstd frame. The plus keeps the value from the planner (decision 23).
SELECT
${readable(fields, wholeMetadata(METADATA))}
FROM events AS e CROSS JOIN events_readable AS v ON v.id = e.id
WHERE e.id = +?1
`;
}

/** Returns `select_block_texts.sql`: what a sealed block is made of. */
export function selectBlockTexts(fields: Fields): string {
  const names = searchedKinds(fields).map(
    (name) => `(SELECT n.name FROM names AS n WHERE n.id = e.${fields.fields[name]!.column})`,
  );
  const texts = searchedTexts(fields).map((name) => `e.${fields.fields[name]!.column}`);
  return `-- Generated from contract/fields.json. The rows of the block ?1, oldest first. Each has its place in the block, its
-- metadata, whether that stands in the row, and what else q searches but UUIDs (rule GET-13).
SELECT
  e.id & 255 AS place,
  ${METADATA} AS metadata,
  e.metadata IS NOT NULL AS is_inline,
  concat_ws(char(0),
${[...names, '(SELECT s.session_id FROM sessions AS s WHERE s.key = e.session)', ...texts].map((one) => `    ${one}`).join(',\n')},
    CASE typeof(e.event_id) WHEN 'text' THEN e.event_id END
  ) AS others
FROM events AS e
WHERE e.id BETWEEN ?1 << 8 AND (?1 << 8) + 255
ORDER BY e.id
`;
}

/** Returns `select_late_events_*.sql`: the late rows of the view in the order of their times (rule GET-15). */
export function selectLateEvents(fields: Fields, order: 'newest' | 'oldest'): string {
  // The first two bounds use the index, and the others divide rows of one time.
  const ids = `e.late = 1 AND e.created_at + e.time_shift BETWEEN :above_time AND :below_time
  AND (${TIME}, e.id) > (:above_time, :above) AND (${TIME}, e.id) < (:below_time, :below)`;
  return `-- Generated from contract/fields.json. Late rows with a time and an id between :above_time and :above, and :below_time and
-- :below, all exclusive. ${order === 'newest' ? 'Newest' : 'Oldest'} time first, up to :limit.
${PARAMETERS}\
-- The plus keeps the value from the planner (decision 23).
SELECT
${readable(fields)}
FROM events AS e INDEXED BY late_events_by_time CROSS JOIN events_readable AS v ON v.id = e.id
${conditions(fields, ids)}\
ORDER BY e.created_at + e.time_shift ${directionOf(order)}, e.id ${directionOf(order)}
LIMIT +:limit
`;
}

/** Returns the conditions of a filter. The search for a text comes last. */
function conditions(fields: Fields, ids = 'e.id > :above AND e.id < :below'): string {
  const kinds = nameKinds(fields);
  const columnOf = (name: string): string => fields.fields[name]!.column;
  const texts = searchedTexts(fields);
  const equal = (name: string): string => `  AND (:${name} IS NULL OR e.${columnOf(name)} = :${name})\n`;
  const searched = searchedKinds(fields).map(
    (name) => `      e.${columnOf(name)} IN (SELECT value FROM json_each(:names))`,
  );
  return `\
WHERE ${ids}
${kinds.map(equal).join('')}\
  AND (:since IS NULL OR ${TIME} >= :since)
  AND (:until IS NULL OR ${TIME} < :until)
  AND (:late IS NULL OR e.late = :late)
  AND (:session IS NULL OR e.session = :session)
${texts.map(equal).join('')}\
  AND CASE
    WHEN :q IS NULL THEN 1
    WHEN :names IS NOT NULL AND (
${searched.join(' OR\n')}
    ) THEN 1
    WHEN :in_metadata AND has_text(CAST(${searchedMetadata(METADATA)} AS BLOB), :q, :escaped) THEN 1
    ELSE has_text(CAST(
      (SELECT s.session_id FROM sessions AS s WHERE s.key = e.session)
${texts.map((name) => `      || char(0) || ifnull(e.${columnOf(name)}, '')\n`).join('')}\
      || char(0) || CASE
        WHEN typeof(e.event_id) = 'text' THEN e.event_id
        WHEN :uuid IS NOT NULL AND typeof(e.event_id) = 'blob' THEN
          substr(hex(e.event_id), 1, 8) || '-' || substr(hex(e.event_id), 9, 4) || '-'
          || substr(hex(e.event_id), 13, 4) || '-' || substr(hex(e.event_id), 17, 4) || '-'
          || substr(hex(e.event_id), 21, 12)
        ELSE ''
      END AS BLOB), :q, NULL)
  END
`;
}

/** Returns the texts without a dictionary that a filter and a search compare. */
function searchedTexts(fields: Fields): string[] {
  const kinds = nameKinds(fields);
  return fields.filters.filter((name) => name !== 'session_id' && !kinds.includes(name));
}

/** Returns the metadata that a search for a text compares. `metadata` is that of the row. */
function searchedMetadata(metadata: string): string {
  return `CASE WHEN :whole IS NULL OR e.metadata_bytes IS NULL THEN ${metadata} ELSE ${wholeMetadata(metadata)} END`;
}

/** Returns the whole metadata of the row `e`. `metadata` is that of the row (rule MET-04). */
function wholeMetadata(metadata: string): string {
  return `ifnull((SELECT unpack_text(w.text) FROM whole_texts AS w WHERE w.id = e.id), ${metadata})`;
}

/** Returns the texts that have a dictionary, whose names a search for a text finds first. */
function searchedKinds(fields: Fields): string[] {
  return nameKinds(fields).filter((name) => fields.fields[name]!.kind === 'text');
}

/** Returns `select_names_with_text.sql`. */
export function selectNamesWithText(fields: Fields): string {
  return `-- Generated from contract/fields.json. The ids of the names of texts that contain the text ?1, as a JSON array.
SELECT json_group_array(id) FROM names
WHERE kind IN (${searchedKinds(fields)
    .map((name) => `'${name}'`)
    .join(', ')}) AND has_text(CAST(name AS BLOB), ?1, NULL)
`;
}

/** Returns `select_series_rows.sql`; `sums` are the lines of its figures. */
export function selectSeriesRows(fields: Fields, sums: string): string {
  const kinds = nameKinds(fields);
  const whens = kinds.map((name, index) => `WHEN ${index + 1} THEN e.${fields.fields[name]!.column}`);
  return `-- Generated from contract/fields.json and contract/figures.json. Sums of rows by bucket of time and by name (rule SER-01).
-- :bucket_ms is the length of a bucket. :by is the place of a dictionary field from 1 on, 0 for none, whose names are 0.
-- :step is the name id of events that do not count, or NULL.
-- :durations is 1 when the list of durations is wanted (rule SER-06), else 0.
${PARAMETERS}\
-- The plus keeps the value from the planner (decision 23).
SELECT
  max(e.id) AS id,
  ${TIME} / CAST(:bucket_ms AS INTEGER) * CAST(:bucket_ms AS INTEGER) AS bucket,
  CASE :by ${whens.join(' ')} ELSE 0 END AS name,
${sums},
  group_concat(e.duration_ms) FILTER (WHERE :durations) AS durations
FROM events AS e
${conditions(fields)}\
  AND (:step IS NULL OR e.event_type <> :step)
GROUP BY 2, 3
LIMIT +:limit
`;
}

/** Returns `select_event_figures.sql`; `numbers` are the fields whose numbers the figures need. */
export function selectEventFigures(fields: Fields, numbers: readonly string[]): string {
  const columns = numbers.map((name) => fields.fields[name]!.column);
  const names = nameKinds(fields).map((name) => fields.fields[name]!.column);
  return `-- Generated from contract/fields.json and contract/figures.json. What the sums and summaries of events are made of, oldest
-- first. ?1 and ?2 the first and the last id, ?3 the key of a session or NULL. The names are the last columns, in the
-- order of the fields.
SELECT
${lines(['id', 'created_at + time_shift AS time', 'session', 'event_id', 'late', ...columns, 'computed_cost_nanos', ...names])}
FROM events
WHERE id BETWEEN ?1 AND ?2 AND (?3 IS NULL OR session = ?3)
ORDER BY id
`;
}

/** Returns `select_event_spans_newest.sql` and `select_event_spans_oldest.sql`. */
export function selectEventSpans(fields: Fields, order: 'newest' | 'oldest'): string {
  return `-- Generated from contract/fields.json. Spans from :first to :last, ${order} first, whose summary has every wanted name id
-- and a wanted time (rule GET-12). :late is 0 for rows that are not late alone (rule GET-15). NULL stands for any.
SELECT id FROM event_spans
WHERE id BETWEEN :first AND :last
${ofTimes}\
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
-- id, a wanted time and session (rule GET-12). :session is the key of a session. :late is 0 for rows that are not late
-- alone (rule GET-15). NULL stands for any.
SELECT id FROM event_blocks
WHERE id BETWEEN :first AND :last
${ofTimes}\
${nameKinds(fields)
  .map((name) => `  AND (:${name} IS NULL OR instr(names, unhex(printf('%08X', :${name}))))\n`)
  .join('')}\
  AND (:session IS NULL OR instr(sessions, unhex(printf('%08X', :session))))
ORDER BY id ${directionOf(order)}
`;
}

/** Returns the condition that a summary can have a row of the wanted times. Its late rows do not count where :late is 0. */
const ofTimes = `\
  AND (
    (first_time IS NOT NULL AND (:since IS NULL OR last_time >= :since) AND (:until IS NULL OR first_time < :until))
    OR (:late IS NULL AND (:since IS NULL OR last_late >= :since) AND (:until IS NULL OR first_late < :until))
  )
`;

function directionOf(order: 'newest' | 'oldest'): string {
  return order === 'newest' ? 'DESC' : 'ASC';
}

const PARAMETERS = `\
-- :since (inclusive) and :until (exclusive) are Unix milliseconds, :late is 0 or 1, :session is the key of a session. A
-- filter is a name id or a text. NULL stands for any.
-- :q is a text to search for, and :escaped the same text inside JSON if it differs. :uuid is the text if a UUID may have
-- it. :whole is 1 to search whole metadata. unpack_text is a function of the servers: the text of a zstd frame.
-- has_text is a function of the servers: whether bytes contain a text, ignoring the case of ASCII letters. CASE keeps
-- SQLite from calling it for rows that need no search. No text contains U+0000, so that none spans two values.
-- :names are the ids of the names that contain the text, as a JSON array, NULL for none (rule GET-13).
-- :in_metadata is 0 when no metadata can contain the text.
`;

const STORED = `-- The columns are those of a row in its order, but for schema_version. Names and sessions are ids, times are Unix
-- milliseconds, an event_id of 16 bytes is a UUID.
`;

/** Returns the columns of a row of the view, with this metadata. */
function readable({ row }: Fields, metadata = METADATA): string {
  return lines(row.map((name) => (name === 'metadata' ? `${metadata} AS metadata` : `v.${name}`)));
}

/** Returns a column, or a computed one, of the table that is `e` in a statement. */
function ofEvent(column: string): string {
  if (column === 'metadata') return METADATA;
  return column.replaceAll(/[a-z_0-9]+/g, 'e.$&');
}

/** Returns the stored columns of a row's members, in order. */
function rowColumns({ fields, server_columns, row }: Fields): string[] {
  return row.flatMap(
    (name) => fields[name]?.column ?? server_columns[name]?.column ?? server_columns[name]?.expression ?? [],
  );
}

/** Formats a list with up to 118 characters a line. */
export function lines(items: readonly string[]): string {
  const all: string[] = [];
  for (const item of items) {
    const longer = `${all.at(-1)}, ${item}`;
    if (all.length > 0 && longer.length <= 118) all[all.length - 1] = longer;
    else all.push(`  ${item}`);
  }
  return all.join(',\n');
}
