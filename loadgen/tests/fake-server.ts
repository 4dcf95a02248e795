/**
 * A small ingest server for the tests of the harness, with the store of the plain server. It has the part of the API that
 * a comparison needs, and faults on demand that the harness must detect.
 *
 * `--fault=` names its fault. `lose-one`: loses an event that it has acknowledged. `refuses`: answers 503 to each tenth
 * post. `differs`: returns other statistics than the other server. `never-power`: stores as `process`, even if `power`
 * was requested. `dies`: exits under load. `slow`: needs 200 µs more for every request.
 *
 * Faults of invalidations: `drops-the-last` omits that of event 30. `sends-an-older` repeats that of event 20 after event
 * 2500. `drops-a-client` ends the first stream then. `silent` has a stream without frames.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { openStore } from '../plain/typescript/store.ts';
import { EPOCH, FakeStream, printRow, type Row } from './fake-stream.ts';

const flag = { type: 'string' } as const;
const options = { fault: flag, db: flag, durability: { ...flag, default: 'process' } } as const;
const { values } = parseArgs({ strict: false, options });
const fault = values.fault as string;
const durability = fault === 'never-power' ? 'process' : (values.durability as string);
const SLOW_US = 200;
const ABOUT = { runtime: 'node', version: '0.0.0', contract: '1.0.0' };

const store = openStore(values.db as string, durability);
const database = new Database(values.db as string);
const rowsAfter = database.prepare<[number], Row>('SELECT * FROM events_readable WHERE id > ? ORDER BY id');
const stream = new FakeStream(fault, (id) => rowsAfter.all(id));
let posts = 0;

type Answer = readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>];

function post(isBatch: boolean, body: string): Answer {
  let parsed: { readonly events?: readonly object[] };
  try {
    parsed = JSON.parse(body);
  } catch {
    return [400, { error: 'Invalid JSON', code: 'invalid_json' }];
  }
  if (fault === 'refuses' && ++posts % 10 === 0) return [503, { error: 'Overloaded', code: 'overloaded' }];
  const events = isBatch ? parsed.events! : [parsed];
  const isValid = (event: object) => 'agent_type' in event && typeof event.agent_type === 'string';
  const stored = store.insert(events.filter(isValid));
  if (fault === 'lose-one') database.exec('DELETE FROM events WHERE id = 999');
  stream.publish(Number(stored.revision));
  const errors = ['agent_type: must be a string'];
  const rejected = events.flatMap((event, index) => (isValid(event) ? [] : [{ index, errors }]));
  if (isBatch) return [201, { ...stored, rejected }];
  if (rejected.length > 0) return [400, { error: 'Invalid event payload', code: 'invalid_event' }];
  return [stored.received === 0 ? 200 : 201, stored];
}

function get(path: string, { headers }: IncomingMessage): Answer {
  if (path === '/livez' || path === '/readyz') return [200, { status: 'ok' }];
  if (path === '/api/health') return [200, { ...ABOUT, ...store.health(), sse_clients: stream.clients }];
  if (path === '/api/snapshot/events') {
    const etag = `W/"${EPOCH}-${stream.newest}"`;
    if (headers['if-none-match'] === etag) return [304, undefined, { etag }];
    return [200, { topic: 'events', epoch: EPOCH, revision: String(stream.newest), data: null }, { etag }];
  }
  if (path === '/api/stats') {
    const stats = JSON.parse(store.stats());
    return [200, fault === 'differs' ? { ...stats, tools: null } : stats];
  }
  if (path === '/api/events/1') {
    const row = rowsAfter.get(0);
    if (row !== undefined) return [200, JSON.parse(printRow(row))];
  }
  // Answers the requests of a dashboard during a load. No test reads these bodies.
  if (/^\/api\/(stats\/\w+|sessions|events$)/.test(path)) return [200, { events: [], next: null }];
  return [404, { error: 'Not found', code: 'not_found' }];
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const sent = await text(request);
  if (fault === 'slow') work(SLOW_US);
  const { pathname, searchParams } = new URL(request.url!, 'http://127.0.0.1');
  const isPost = request.method === 'POST';
  if (!isPost && pathname === '/api/stream') return stream.connect(response, searchParams);
  const [status, body, headers] = isPost
    ? post(pathname === '/api/events/batch', sent)
    : get(pathname, request);
  if (fault === 'dies' && stream.newest > 2000) process.exit(3);
  const type = 'application/json; charset=utf-8';
  response.writeHead(status, { 'content-type': type, ...headers }).end(JSON.stringify(body));
}

/** Uses so much CPU time, as a slow server would. Other programs do not change the amount. */
function work(us: number): void {
  const begun = process.cpuUsage();
  for (let used_us = 0; used_us < us; ) {
    const { user, system } = process.cpuUsage(begun);
    used_us = user + system;
  }
}

const server = createServer((request, response) => void handle(request, response));
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.stdout.write(`${JSON.stringify({ event: 'ready', url, pid: process.pid, ...ABOUT })}\n`);
});
const stop = () => {
  database.close();
  store.close();
  process.exit(0);
};
process.once('SIGTERM', stop).once('SIGINT', stop);
