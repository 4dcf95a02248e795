/**
 * A small ingest server for the tests of the harness: enough of the contract for a comparison, and faults on
 * demand that the harness has to catch.
 *
 * It is started in place of a real one, so whatever stands before `--db` is not for it. Its faults are
 * named by `--fault=`; it is no example of how a server should be built.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Database from 'better-sqlite3';

const argument = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at >= 0
    ? process.argv[at + 1]
    : process.argv.find((text) => text.startsWith(`--${name}=`))?.split('=')[1];
};
const fault = argument('fault') ?? 'none';
const durability = fault === 'durability' ? 'power' : argument('durability');

const database = new Database(argument('db')!);
database.pragma('journal_mode = WAL');
database.exec(
  'CREATE TABLE events_readable (id INTEGER PRIMARY KEY, event_id TEXT UNIQUE, event_type TEXT, tokens_in INTEGER)',
);
const insert = database.prepare<[string | null, string, number]>(
  'INSERT INTO events_readable (event_id, event_type, tokens_in) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
);

interface Event {
  readonly event_id?: string;
  readonly agent_type: unknown;
  readonly event_type: string;
  readonly tokens_in?: number;
}
interface Outcome {
  readonly ids: number[];
  duplicates: number;
  readonly rejected: { readonly index: number; readonly errors: readonly string[] }[];
}

let batches = 0;
let events = 0;

const ingest = database.transaction((all: readonly Event[]): Outcome => {
  const outcome: Outcome = { ids: [], duplicates: 0, rejected: [] };
  for (const [index, event] of all.entries()) {
    if (typeof event.agent_type !== 'string') {
      outcome.rejected.push({ index, errors: ['agent_type: must be a string'] });
      continue;
    }
    events++;
    if (fault === 'lose-one' && events === 1000) {
      outcome.ids.push(events);
      continue;
    }
    const { changes, lastInsertRowid } = insert.run(
      event.event_id ?? null,
      event.event_type,
      event.tokens_in ?? 0,
    );
    if (changes === 1) outcome.ids.push(Number(lastInsertRowid));
    else outcome.duplicates++;
  }
  return outcome;
});

function post(path: string, body: string): [number, unknown] {
  let parsed: Event & { readonly events?: readonly Event[] };
  try {
    parsed = JSON.parse(body);
  } catch {
    return [400, { error: 'Invalid JSON', code: 'invalid_json' }];
  }
  if (path === '/api/events/batch') {
    batches++;
    if (fault === 'busy' && batches % 7 === 0) return [503, { error: 'Overloaded', code: 'overloaded' }];
    const { ids, duplicates, rejected } = ingest(parsed.events!);
    return [201, { received: ids.length, ids, duplicates, rejected }];
  }
  const { ids, duplicates, rejected } = ingest([parsed]);
  if (rejected.length > 0) return [400, { error: 'Invalid event payload', code: 'invalid_event' }];
  return [duplicates > 0 ? 200 : 201, { received: ids.length, ids, duplicates }];
}

function get(path: string): [number, unknown] {
  if (path === '/readyz') return [200, { status: 'ok' }];
  if (path === '/api/health') {
    const versions = { runtime: 'node', version: '0.0.0', contract: '1.0.0', sqlite_version: '3.0.0' };
    return [200, { ...versions, durability, journal_mode: 'wal', synchronous: 'NORMAL' }];
  }
  if (path === '/api/stats') {
    const query =
      "SELECT count(*) AS total_events, count(*) FILTER (WHERE event_type = 'error') AS total_errors FROM events_readable";
    const totals = database.prepare(query).get() as object;
    return [200, fault === 'differs' ? { ...totals, tools: null } : { ...totals, tools: [] }];
  }
  if (path === '/api/events/1')
    return [200, database.prepare('SELECT * FROM events_readable WHERE id = 1').get()];
  if (path.startsWith('/api/events?')) return [200, { events: [], next: null }];
  return [404, { error: 'Not found', code: 'not_found' }];
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const path = request.url!;
  const [status, body] = request.method === 'POST' ? post(path, Buffer.concat(chunks).toString()) : get(path);
  if (fault === 'dies' && events > 2000) process.exit(3);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

const server = createServer((request, response) => void handle(request, response));
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ready = {
    event: 'ready',
    url,
    pid: process.pid,
    runtime: 'node',
    version: '0.0.0',
    contract: '1.0.0',
  };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
});
const stop = () => {
  server.close(() => {
    database.close();
    process.exit(0);
  });
  server.closeAllConnections();
};
process.once('SIGTERM', stop).once('SIGINT', stop);
