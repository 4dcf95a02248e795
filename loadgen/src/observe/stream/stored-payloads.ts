/**
 * Computes what a client must have received: the rows of a stopped server's file, in the JSON format of the contract.
 *
 * Members are in the order of the view, and numbers have the ECMAScript format. Metadata is unchanged except for line
 * breaks (rules GET-02, MET-01, MET-03). The code follows these rules and not a server's source, so that it can check
 * both servers.
 */
import { createHash } from 'node:crypto';
import { storedValues, type Value, VIEW_COLUMNS } from '../../verify/audit/row.ts';

export function payloadOf(row: readonly Value[]): string {
  const members = VIEW_COLUMNS.map((column, i) => {
    const value = row[i]!;
    if (column === 'payload_truncated') return `"${column}":${value === 1}`;
    // In JSON text, raw line breaks occur only between tokens.
    if (column === 'metadata') return `"${column}":${String(value).replace(/[\r\n]/g, ' ')}`;
    return `"${column}":${JSON.stringify(value)}`;
  });
  return `{${members.join()}}`;
}

/** Returns the number of rows above the id, and the SHA-256 of their payloads without separators, in hex. */
export function storedPayloads(file: string, after: number): { count: number; digest: string } {
  const digest = createHash('sha256');
  let count = 0;
  for (const row of storedValues(file, VIEW_COLUMNS, after)) {
    count++;
    digest.update(payloadOf(row));
  }
  return { count, digest: digest.digest('hex') };
}
