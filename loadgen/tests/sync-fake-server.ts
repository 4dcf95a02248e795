/**
 * A small server for the tests of `bench:sync`: posts, invalidations and snapshots in memory, and faults on demand.
 *
 * It is started instead of a real server and is no example of how to build one. `--fault=` names its fault.
 * `drops-the-last` omits the invalidation of event 30. `sends-an-older` repeats that of event 20 after event 2500.
 * `drops-a-client` ends the first stream after event 2500. `refuses` answers 503 to the tenth post. `silent` has a
 * stream without frames. `not-alive` answers 503 to its probe.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const fault = process.argv.find((text) => text.startsWith('--fault='))?.split('=')[1] ?? 'none';
/** More than the 660 posts of a quick `round_trip` scenario, and less than the events of a quick `fan_out` scenario. */
const LATE = 2500;
const EPOCH = '00000000-0000-4000-8000-000000000000';
const HEALTH = {
  status: 'ok',
  runtime: 'node',
  version: '0.0.0',
  contract: '1.1.0',
  durability: 'process',
  sqlite_version: '3.0.0',
  journal_mode: 'wal',
  synchronous: 'normal',
  compile_options: ['NONE'],
  pragmas: { page_size: 4096 },
};

interface Client {
  readonly response: ServerResponse;
  readonly interval_ms: number;
  isWaiting: boolean;
  notified: number;
}

const invalidated = new Set<Client>();
const wronged = new Set<Client>();
const followers = new Set<ServerResponse>();
let newest = 0;
let posts = 0;

function frame(revision: number): string {
  return `event: invalidate\ndata: {"topic":"events","revision":"${revision}","epoch":"${EPOCH}"}\n\n`;
}

function notify(client: Client): void {
  if (client.isWaiting || client.notified >= newest) return;
  if (fault === 'drops-the-last' && newest === 30) return;
  client.notified = newest;
  client.response.write(frame(newest));
  if (fault === 'sends-an-older' && newest >= LATE && !wronged.has(client)) {
    wronged.add(client);
    // The delay sends it in a separate chunk, because only the last frame of a chunk counts.
    setTimeout(() => client.response.write(frame(20)), 20);
  }
  if (client.interval_ms === 0) return;
  client.isWaiting = true;
  setTimeout(() => {
    client.isWaiting = false;
    notify(client);
  }, client.interval_ms);
}

function store(events: number): object {
  const first = newest + 1;
  newest += events;
  for (let id = first; id <= newest; id++) {
    const row = { id, session_id: 's', agent_type: 'bench', event_type: 'tool_use' };
    for (const response of followers)
      response.write(`id: ${id}\ndata: ${JSON.stringify({ type: 'event', payload: row })}\n\n`);
  }
  if (fault === 'drops-a-client' && newest >= LATE) [...invalidated][0]?.response.end();
  for (const client of invalidated) notify(client);
  return { received: events, ids: [], duplicates: 0, rejected: [], revision: String(newest) };
}

function stream(query: URLSearchParams, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  if (query.get('mode') !== 'invalidate') {
    followers.add(response);
    response.on('close', () => followers.delete(response));
    const connected = { type: 'connected', timestamp: '', epoch: EPOCH, last_id: newest };
    response.write(`data: ${JSON.stringify(connected)}\n\n`);
    return;
  }
  const interval_ms = Number(query.get('min_interval_ms') ?? 0);
  const client: Client = { response, interval_ms, isWaiting: false, notified: newest };
  invalidated.add(client);
  response.on('close', () => invalidated.delete(client));
  if (fault !== 'silent') response.write(`retry: 1000\n${frame(newest)}`);
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { pathname, searchParams } = new URL(request.url!, 'http://127.0.0.1');
  const answer = (status: number, body: object, headers: Record<string, string> = {}) => {
    const text = JSON.stringify(body);
    const always = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    response.writeHead(status, { ...always, ...headers }).end(text);
  };
  if (pathname === '/api/stream') stream(searchParams, response);
  else if (pathname === '/livez') answer(fault === 'not-alive' ? 503 : 200, {});
  else if (pathname === '/api/health')
    answer(200, { ...HEALTH, sse_clients: invalidated.size + followers.size });
  else if (pathname === '/api/snapshot/events') {
    const etag = `W/"${EPOCH}-${newest}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
    else answer(200, { topic: 'events', epoch: EPOCH, revision: String(newest), data: null }, { etag });
  } else if (request.method === 'POST') {
    if (fault === 'refuses' && ++posts % 10 === 0) return void answer(503, { error: 'Overloaded' });
    const { events } = JSON.parse(Buffer.concat(chunks).toString()) as { events?: unknown[] };
    answer(201, store(events?.length ?? 1));
  } else answer(404, { error: 'Not found', code: 'not_found' });
}

const server = createServer((request, response) => void handle(request, response));
process.once('SIGTERM', () => {
  server.closeAllConnections();
  server.close(() => process.exit(0));
});
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ready = {
    event: 'ready',
    url,
    pid: process.pid,
    runtime: 'node',
    version: '0.0.0',
    contract: '1.1.0',
  };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
});
