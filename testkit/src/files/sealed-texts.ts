/**
 * Reads the metadata of sealed rows from a server's file, whose own view only says that they are sealed
 * (docs/decisions/0114-sealed-texts.md). It has no code of the servers, so that their tests can compare with it.
 */
import zlib from 'node:zlib';

/** What this module uses of a connection of better-sqlite3. */
interface Database {
  exec(sql: string): unknown;
  function(name: string, options: object, of: (...values: never[]) => unknown): unknown;
  prepare(sql: string): { all(): unknown[] };
}

const ROWS = 256;
const NONE = 0xffffffff;

/**
 * Makes `events_readable` of this connection return the text of all metadata: a view of the connection comes before that
 * of the file. A file without sealed rows stays as it is, such as that of a plain server.
 */
export function readSealedTexts(db: Database): void {
  const has = (type: string, name: string): boolean =>
    db.prepare(`SELECT 1 FROM main.sqlite_schema WHERE type = '${type}' AND name = '${name}'`).all().length >
    0;
  if (!has('table', 'sealed_texts') || !has('view', 'events_readable')) return;
  let kept: readonly (string | null)[] = [];
  let keptId = -1;
  db.function('testkit_has_block', {}, (id: number) => Number(keptId === Math.floor(id / ROWS)));
  db.function('testkit_sealed_text', {}, (id: number, frame: Buffer | null) => {
    if (frame !== null) {
      kept = textsOf(frame);
      keptId = Math.floor(id / ROWS);
    }
    const text = kept[id % ROWS];
    if (text === undefined || text === null) throw new Error(`the row ${id} has no metadata`);
    return text;
  });
  const columns = db.prepare('PRAGMA main.table_info(events_readable)').all() as { readonly name: string }[];
  const selected = columns.map(({ name }) => (name === 'metadata' ? `${METADATA} AS metadata` : `v.${name}`));
  db.exec(`CREATE TEMP VIEW events_readable AS SELECT ${selected.join(', ')}
    FROM main.events AS e CROSS JOIN main.events_readable AS v ON v.id = e.id`);
}

const METADATA = `coalesce(
  e.metadata,
  (SELECT t.metadata FROM main.event_texts AS t WHERE t.id = e.id),
  testkit_sealed_text(
    e.id,
    iif(testkit_has_block(e.id), NULL, (SELECT s.texts FROM main.sealed_texts AS s WHERE s.id = e.id / ${ROWS}))
  )
)`;

/** Returns the texts of a block by the places of their rows; null where the block has none. */
export function textsOf(frame: Buffer): (string | null)[] {
  const bytes = zlib.zstdDecompressSync(frame);
  let end = 4 * ROWS;
  const texts = Array.from({ length: ROWS }, (_, place) => {
    const length = bytes.readUInt32LE(4 * place);
    if (length === NONE) return null;
    end += length;
    return bytes.toString('utf8', end - length, end);
  });
  if (end !== bytes.length) throw new Error(`a block has ${bytes.length} bytes, not ${end}`);
  return texts;
}
