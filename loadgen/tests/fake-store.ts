/**
 * The storage of the fake server: the columns of the contract's view, and faults on demand.
 *
 * It stores the rows that the audit expects, unless it has a fault. plain.test.ts compares those rows with real servers.
 */
import Database from 'better-sqlite3';
import { expectedConstants, VIEW_COLUMNS } from '../src/verify/audit/expected-row.ts';

/** An event; other fields than these are only stored. */
export type FakeEvent = Readonly<Record<string, unknown> & { event_id?: string; session_id: string }>;
export type FakeRow = Readonly<Record<string, string | number | null>>;

const COLUMNS = VIEW_COLUMNS.map((name) => (name === 'id' ? 'id INTEGER PRIMARY KEY' : name));

interface Outcome {
  /** Ids that are acknowledged. */
  readonly ids: readonly number[];
  readonly rows: readonly FakeRow[];
  readonly rejected: readonly object[];
  readonly duplicates: number;
}

/** Number of the event that a fault affects, and how often it is stored. */
const STRUCK: Readonly<Record<string, Readonly<{ event: number; copies: number }>>> = {
  'lose-one': { event: 1000, copies: 0 },
  'lose-one-in-100000': { event: 100_000, copies: 0 },
  'alters-one': { event: 1000, copies: 1 },
  'stores-twice': { event: 1000, copies: 2 },
};

export class FakeStore {
  readonly database: Database.Database;
  /** Number of acknowledged events. */
  events = 0;
  readonly #fault: string;
  readonly #insert: Database.Statement<[Record<string, unknown>]>;
  readonly #remember: Database.Statement<[string]>;
  readonly ingest: (all: readonly FakeEvent[]) => Outcome;

  constructor(file: string, fault: string) {
    this.#fault = fault;
    this.database = new Database(file);
    this.database.pragma('journal_mode = WAL');
    this.database.pragma('synchronous = OFF');
    this.database.exec(
      `CREATE TABLE IF NOT EXISTS events_readable (${COLUMNS.join(', ')});
       CREATE TABLE IF NOT EXISTS keys (event_id TEXT PRIMARY KEY) WITHOUT ROWID`,
    );
    this.#insert = this.database.prepare(
      `INSERT INTO events_readable VALUES (${VIEW_COLUMNS.map((name) => `@${name}`).join(', ')})`,
    );
    this.#remember = this.database.prepare('INSERT INTO keys VALUES (?) ON CONFLICT DO NOTHING');
    this.ingest = this.database.transaction((all) => this.#ingest(all));
  }

  #ingest(all: readonly FakeEvent[]): Outcome {
    const [ids, rows, rejected]: [number[], FakeRow[], object[]] = [[], [], []];
    const created_at = new Date().toISOString();
    for (const [index, event] of all.entries()) {
      const { session_id, event_id = null } = event;
      if (typeof event.agent_type !== 'string') {
        rejected.push({ index, errors: ['agent_type: must be a string'] });
        continue;
      }
      if (event_id !== null && this.#remember.run(event_id).changes === 0) continue;
      const row = { ...expectedConstants(JSON.stringify(event)), session_id, event_id, created_at };
      const stored = this.#store(row);
      ids.push(stored[0]?.id ?? this.events);
      rows.push(...stored);
    }
    return { ids, rows, rejected, duplicates: all.length - ids.length - rejected.length };
  }

  /** Returns the rows that are stored: one, or by a fault none or two. */
  #store(row: FakeRow): (FakeRow & { readonly id: number })[] {
    const fault = STRUCK[this.#fault];
    const isStruck = ++this.events === fault?.event;
    const stored = isStruck && this.#fault === 'alters-one' ? { ...row, metadata: '{"altered":true}' } : row;
    return Array.from({ length: isStruck ? fault.copies : 1 }, () => {
      const { lastInsertRowid } = this.#insert.run({ ...stored, id: null });
      return { ...stored, id: Number(lastInsertRowid) };
    });
  }
}

/** Returns a row as the stream and the reading routes print it. */
export function printRow(row: FakeRow): string {
  const columns = VIEW_COLUMNS.filter((name) => name !== 'metadata').map((name) => [name, row[name]]);
  const members = { ...Object.fromEntries(columns), payload_truncated: row.payload_truncated === 1 };
  return `${JSON.stringify(members).slice(0, -1)},"metadata":${row.metadata}}`;
}
