/**
 * One connection, one statement for each event, one transaction for each request.
 *
 * The statement and the table trim texts, set defaults, shorten metadata and check values, for both languages alike.
 */
import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
const FIELDS = Object.entries({
  session_id: 'string',
  agent_type: 'string',
  event_type: 'string',
  status: 'string',
  event_id: 'string',
  tool_name: 'string',
  branch: 'string',
  project: 'string',
  model: 'string',
  source_event: 'string',
  call_id: 'string',
  agent_id: 'string',
  response_id: 'string',
  service_tier: 'string',
  subagent: 'string',
  skill: 'string',
  mcp_server: 'string',
  host: 'string',
  duration_ms: 'number',
  tokens_in: 'number',
  tokens_out: 'number',
  cache_read_tokens: 'number',
  cache_write_tokens: 'number',
  cache_write_1h_tokens: 'number',
  cost_usd: 'number',
  client_timestamp: 'string',
  arrived_at: 'string',
  source: 'string',
});

/** Express answers with the status. */
class InvalidEvent extends Error {
  readonly status = 400;
}

export function openStore(path: string, durability: string) {
  const db = new Database(path);
  db.exec(read('../../../contract/pragmas.sql'));
  db.pragma(`synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`);
  db.exec(read('../sql/schema.sql'));
  const insertOne = db.prepare(read('../sql/insert.sql'));
  const lastId = db.prepare<[], number>('SELECT ifnull(max(id), 0) FROM events').pluck();
  const stats = db.prepare<[], string>(read('../sql/stats.sql')).pluck();
  const health = db.prepare<[], string>(read('../sql/health.sql')).pluck();

  /** Rejects the rows that the table refuses. */
  const insert = db.transaction((rows: readonly object[]) => {
    const ids: number[] = [];
    const rejected: { index: number; errors: string[] }[] = [];
    for (const [index, row] of rows.entries()) {
      try {
        const { changes, lastInsertRowid } = insertOne.run(row);
        if (changes === 1) ids.push(Number(lastInsertRowid));
      } catch (error) {
        const isRefused = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT');
        if (!isRefused) throw error;
        rejected.push({ index, errors: [error.message] });
      }
    }
    const duplicates = rows.length - ids.length - rejected.length;
    return { received: ids.length, ids, duplicates, rejected, revision: String(lastId.get()) };
  });

  return {
    insert: (events: readonly unknown[]) => insert(events.map(rowOf)),
    stats: () => stats.get()!,
    health() {
      const answer = JSON.parse(health.get()!);
      // These two have no table-valued function.
      for (const name of ['mmap_size', 'wal_autocheckpoint'])
        answer.pragmas[name] = db.pragma(name, { simple: true });
      return answer;
    },
    close: () => db.close(),
  };
}

/** Returns the row of an event as sent. */
function rowOf(sent: unknown): object {
  const event = Object(sent) as Record<string, unknown>;
  const row: Record<string, unknown> = {};
  for (const [field, type] of FIELDS) {
    const value = event[field] ?? null;
    if (value !== null && typeof value !== type) throw new InvalidEvent(`${field} must be a ${type}`);
    row[field] = value;
  }
  for (const name of ['client_timestamp', 'arrived_at']) row[name] = inUtc(name, row[name] as string | null);
  row.metadata = JSON.stringify(event.metadata ?? {});
  return row;
}

function inUtc(name: string, time: string | null): string | null {
  if (time === null) return null;
  const date = new Date(RFC_3339.test(time) ? time : Number.NaN);
  if (Number.isNaN(date.getTime())) throw new InvalidEvent(`${name} must be a timestamp`);
  return date.toISOString();
}
