/**
 * What a client must have received: the rows of a stopped server's file, as the contract prints them.
 *
 * Members in the order of the view, numbers the ECMAScript way, metadata as it was sent but for line breaks
 * (rules GET-02, MET-01, MET-03). Written from the rules and not from a server.
 */
import Database from 'better-sqlite3';
import { type Value, VIEW_COLUMNS } from '../../verify/audit/row.ts';
import { PayloadDigest } from './payload-digest.ts';

export interface StoredPayloads {
  readonly count: number;
  /** As of `PayloadDigest`. */
  readonly digest: string;
}

const MEMBERS = VIEW_COLUMNS.map((column, i) => `${i === 0 ? '{' : ','}"${column}":`);
const TRUNCATED = VIEW_COLUMNS.indexOf('payload_truncated');
const METADATA = VIEW_COLUMNS.indexOf('metadata');

/** The row as JSON text. */
export function payloadOf(row: readonly Value[]): string {
  let text = '';
  for (let i = 0; i < MEMBERS.length; i++) {
    text += MEMBERS[i];
    if (i === TRUNCATED) text += row[i] === 1;
    // Within a JSON text, raw line breaks stand between tokens alone.
    else if (i === METADATA) text += String(row[i]).replace(/[\r\n]/g, ' ');
    else text += JSON.stringify(row[i]);
  }
  return `${text}}`;
}

/** The rows above each of the ids, in their order. */
export function storedPayloads(file: string, after: ReadonlySet<number>): Map<number, StoredPayloads> {
  const digests = [...after].map((id) => ({ id, count: 0, digest: new PayloadDigest() }));
  const database = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const select = `SELECT ${VIEW_COLUMNS.join(', ')} FROM events_readable WHERE id > ? ORDER BY id`;
    const rows = database
      .prepare<[number], Value[]>(select)
      .raw()
      .iterate(Math.min(...after));
    for (const row of rows) {
      const bytes = Buffer.from(payloadOf(row));
      for (const one of digests) {
        if ((row[0] as number) <= one.id) continue;
        one.count++;
        one.digest.add(bytes, 0, bytes.length);
      }
    }
  } finally {
    database.close();
  }
  return new Map(digests.map(({ id, count, digest }) => [id, { count, digest: digest.hex() }]));
}
