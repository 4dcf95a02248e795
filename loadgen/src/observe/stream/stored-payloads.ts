/**
 * Computes what a client must have received: the rows of a stopped server's file, in the JSON format of the contract.
 *
 * Members are in the order of the view, and numbers have the ECMAScript format. Metadata is unchanged except for line
 * breaks (rules GET-02, MET-01, MET-03). The code follows these rules and not a server's source, so that it can check
 * both servers.
 */
import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { type Value, VIEW_COLUMNS } from '../../verify/audit/row.ts';

export interface StoredPayloads {
  readonly count: number;
  /** SHA-256 of the rows without separators, in hex. */
  readonly digest: string;
}

const MEMBERS = VIEW_COLUMNS.map((column, i) => `${i === 0 ? '{' : ','}"${column}":`);
const TRUNCATED = VIEW_COLUMNS.indexOf('payload_truncated');
const METADATA = VIEW_COLUMNS.indexOf('metadata');

export function payloadOf(row: readonly Value[]): string {
  let text = '';
  for (let i = 0; i < MEMBERS.length; i++) {
    text += MEMBERS[i];
    if (i === TRUNCATED) text += row[i] === 1;
    // In JSON text, raw line breaks occur only between tokens.
    else if (i === METADATA) text += String(row[i]).replace(/[\r\n]/g, ' ');
    else text += JSON.stringify(row[i]);
  }
  return `${text}}`;
}

/** Returns count and digest of the rows above each of the ids. */
export function storedPayloads(file: string, after: ReadonlySet<number>): Map<number, StoredPayloads> {
  const digests = [...after].map((id) => ({ id, count: 0, digest: createHash('sha256') }));
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
        one.digest.update(bytes);
      }
    }
  } finally {
    database.close();
  }
  return new Map(digests.map(({ id, count, digest }) => [id, { count, digest: digest.digest('hex') }]));
}
