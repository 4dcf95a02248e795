/**
 * A subset of the event-ingest API as a tutorial for express and better-sqlite3 would write it (decision 67).
 *
 * Handlers share one connection and use it on the main thread: no queue, no thread for writes, no readers.
 */
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import express, { type NextFunction, type Request, type Response } from 'express';
import { check, type Event } from './event.ts';
import manifest from './package.json' with { type: 'json' };
import { openStore } from './store.ts';

const CONTRACT = readFileSync(new URL('../../../contract/VERSION', import.meta.url), 'utf8').trim();
const MAX_BODY_BYTES = 8 << 20;
const MAX_BATCH_EVENTS = 10_000;
const ABOUT = { runtime: 'node', version: manifest.version, contract: CONTRACT };

const { values: flags } = parseArgs({
  options: {
    port: { type: 'string', default: '3141' },
    db: { type: 'string', default: 'events.db' },
    durability: { type: 'string', default: 'process' },
    'max-metadata-bytes': { type: 'string', default: '10240' },
  },
});
const maxMetadataBytes = Number(flags['max-metadata-bytes']);
const store = openStore(flags.db, flags.durability === 'power' ? 'FULL' : 'NORMAL');

const app = express();
app.use(express.json({ limit: MAX_BODY_BYTES }));

app.post('/api/events', (request, response) => {
  const checked = check(request.body, maxMetadataBytes);
  if (!checked.ok) {
    const details = checked.problems;
    response.status(400).json({ error: 'Invalid event payload', code: 'invalid_event', details });
    return;
  }
  const stored = store.insert([checked.event]);
  response.status(stored.received === 0 ? 200 : 201).json(stored);
});

app.post('/api/events/batch', (request, response) => {
  const sent: unknown = request.body?.events;
  if (!Array.isArray(sent)) {
    response.status(400).json({ error: 'Expected { events: [...] }', code: 'invalid_batch' });
    return;
  }
  if (sent.length > MAX_BATCH_EVENTS) {
    response.status(413).json({ error: 'Too many events', code: 'batch_too_large' });
    return;
  }
  const events: Event[] = [];
  const rejected: { index: number; errors: string[] }[] = [];
  for (const [index, item] of sent.entries()) {
    const checked = check(item, maxMetadataBytes);
    if (checked.ok) events.push(checked.event);
    else rejected.push({ index, errors: checked.problems.map((p) => `${p.field}: ${p.message}`) });
  }
  const { revision, ...stored } = store.insert(events);
  response.status(201).json({ ...stored, rejected, revision });
});

app.get('/api/stats', (_, response) => {
  response.json(store.stats());
});

app.get('/api/health', (_, response) => {
  response.json({ status: 'ok', ...ABOUT, durability: flags.durability, ...store.health() });
});

/** Handles the errors of express and of handlers. Errors of `express.json` have a status. */
app.use((error: Error & { status?: number }, _: Request, response: Response, next: NextFunction) => {
  if (response.headersSent) return next(error);
  const status = error.status ?? 503;
  if (status === 503) console.error(error);
  const code = { 400: 'invalid_json', 503: 'storage_error' }[status] ?? 'bad_request';
  response.status(status).json({ error: error.message, code });
});

const server = app.listen(Number(flags.port), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  const ready = { event: 'ready', url: `http://127.0.0.1:${port}`, pid: process.pid, ...ABOUT };
  console.log(JSON.stringify(ready));
});
process.once('SIGTERM', () => server.close(() => store.close()));
