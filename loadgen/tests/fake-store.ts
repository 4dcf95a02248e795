/**
 * The storage of the fake server: the columns of the contract's view, and faults on demand.
 *
 * It stores the rows that the audit expects, unless it has a fault. plain.test.ts compares those rows with real servers.
 */
import Database from 'better-sqlite3';
import { expectedConstants } from '../src/verify/audit/expected-row.ts';
import { VIEW_COLUMNS } from '../src/verify/audit/row.ts';

export interface FakeEvent {
  readonly event_id?: string;
  readonly session_id: string;
  readonly agent_type: unknown;
  readonly [field: string]: unknown;
}

export type FakeRow = Readonly<Record<string, string | number | null>>;

export interface Outcome {
  readonly ids: number[];
  duplicates: number;
  readonly rejected: { readonly index: number; readonly errors: readonly string[] }[];
  readonly rows: FakeRow[];
}

const COLUMNS = VIEW_COLUMNS.map((name) => (name === 'id' ? 'id INTEGER PRIMARY KEY' : name));

/** Number of the event that the faults of storage affect, and of the event that the rare fault affects. */
const STRUCK = 1000;
const RARE = 100_000;

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
    const outcome: Outcome = { ids: [], duplicates: 0, rejected: [], rows: [] };
    const created_at = new Date().toISOString();
    for (const [index, event] of all.entries()) {
      const { session_id, event_id } = event;
      if (typeof event.agent_type !== 'string')
        outcome.rejected.push({ index, errors: ['agent_type: must be a string'] });
      else if (event_id !== undefined && this.#remember.run(event_id).changes === 0) outcome.duplicates++;
      else {
        const ids = { session_id, event_id: event_id ?? null, created_at };
        this.#store({ ...expectedConstants(JSON.stringify(event)), ...ids }, outcome);
      }
    }
    return outcome;
  }

  #store(row: FakeRow, outcome: Outcome): void {
    const fault = this.#fault;
    this.events++;
    const struck = this.events === STRUCK;
    const lost =
      (fault === 'lose-one' && struck) || (fault === 'lose-one-in-100000' && this.events % RARE === 0);
    if (lost) {
      outcome.ids.push(this.events);
      return;
    }
    const stored = fault === 'alters-one' && struck ? { ...row, metadata: '{"altered":true}' } : row;
    const copies = fault === 'stores-twice' && struck ? 2 : 1;
    for (let i = 0; i < copies; i++) {
      const id = Number(this.#insert.run({ ...stored, id: null }).lastInsertRowid);
      outcome.rows.push({ ...stored, id });
      if (i === 0) outcome.ids.push(id);
    }
  }
}

/** Returns a row as the stream and the reading routes print it. */
export function printRow(row: FakeRow): string {
  const columns = VIEW_COLUMNS.filter((name) => name !== 'metadata').map((name) => [name, row[name]]);
  const members = { ...Object.fromEntries(columns), payload_truncated: row.payload_truncated === 1 };
  return `${JSON.stringify(members).slice(0, -1)},"metadata":${row.metadata}}`;
}
