/**
 * The storage of the fake server: every column of the contract's view, mapped simply, and faults on demand.
 *
 * It handles only events of the generator: it stores values unchanged and prints metadata again.
 */
import Database from 'better-sqlite3';
import CONTRACT from '../../contract/fields.json' with { type: 'json' };
import VOCABULARY from '../../contract/vocabulary.json' with { type: 'json' };

export interface FakeEvent {
  readonly event_id?: string;
  readonly session_id: string;
  readonly agent_type: unknown;
  readonly event_type: string;
  readonly status?: string;
  readonly client_timestamp?: string;
  readonly metadata?: unknown;
  readonly [field: string]: unknown;
}

/** A row of the view, by column. */
export type FakeRow = Readonly<Record<string, string | number | null>>;

export interface Outcome {
  readonly ids: number[];
  duplicates: number;
  readonly rejected: { readonly index: number; readonly errors: readonly string[] }[];
  /** The stored rows, for the stream. */
  readonly rows: FakeRow[];
}

interface Column {
  readonly kind: string;
  readonly default?: unknown;
}

const SPECS: Readonly<Record<string, Column>> = { ...CONTRACT.fields, ...CONTRACT.server_columns };
const TYPES: Readonly<Record<string, string>> = { integer: 'INTEGER', boolean: 'INTEGER', dollars: 'REAL' };
const NAMES = CONTRACT.row;
const COLUMNS = NAMES.map((name) =>
  name === 'id' ? 'id INTEGER PRIMARY KEY' : `${name} ${TYPES[SPECS[name]!.kind] ?? 'TEXT'}`,
);

/** Number of the event that the faults of storage affect, and of the event that the rare fault affects. */
const STRUCK = 1000;
const RARE = 100_000;

const MAX_METADATA_BYTES = 10_240;

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
      `INSERT INTO events_readable VALUES (${NAMES.map((name) => `@${name}`).join(', ')})`,
    );
    this.#remember = this.database.prepare('INSERT INTO keys VALUES (?) ON CONFLICT DO NOTHING');
    this.ingest = this.database.transaction((all) => this.#ingest(all));
  }

  #ingest(all: readonly FakeEvent[]): Outcome {
    const outcome: Outcome = { ids: [], duplicates: 0, rejected: [], rows: [] };
    const created_at = new Date().toISOString();
    for (const [index, event] of all.entries()) {
      if (typeof event.agent_type !== 'string')
        outcome.rejected.push({ index, errors: ['agent_type: must be a string'] });
      else if (event.event_id !== undefined && this.#remember.run(event.event_id).changes === 0)
        outcome.duplicates++;
      else this.#store(this.#rowOf(event, created_at), outcome);
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

  #rowOf(event: FakeEvent, created_at: string): FakeRow {
    const whole = JSON.stringify(event.metadata ?? {});
    const metadata = Buffer.byteLength(whole) > MAX_METADATA_BYTES ? summary(whole) : whole;
    const values: Record<string, unknown> = {
      ...Object.fromEntries(NAMES.map((name) => [name, SPECS[name]!.default])),
      schema_version: 1,
      ...(event.event_type === 'error' ? { status: 'error' } : {}),
      ...event,
      created_at,
      payload_truncated: metadata === whole ? 0 : 1,
      metadata,
    };
    return Object.fromEntries(NAMES.map((name) => [name, values[name] ?? null])) as FakeRow;
  }
}

function summary(whole: string): string {
  const metadata = JSON.parse(whole) as Readonly<Record<string, unknown>>;
  const kept: Record<string, unknown> = { _truncated: true, _original_bytes: Buffer.byteLength(whole) };
  for (const key of VOCABULARY.summary_keys.filter((name) => Object.hasOwn(metadata, name))) {
    kept[key] = metadata[key];
    if (Buffer.byteLength(JSON.stringify(kept)) > MAX_METADATA_BYTES) delete kept[key];
  }
  return JSON.stringify(kept);
}

/** Returns a row as the stream and the reading routes print it. */
export function printRow(row: FakeRow): string {
  const { metadata, ...rest } = row;
  const members = JSON.stringify({ ...rest, payload_truncated: rest.payload_truncated === 1 });
  return `${members.slice(0, -1)},"metadata":${metadata}}`;
}
