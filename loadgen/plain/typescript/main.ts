/**
 * A subset of the event-ingest API as a tutorial for express and better-sqlite3 would write it (decision 67).
 *
 * Handlers share one connection and use it on the main thread: no queue, no thread for writes, no readers.
 */
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import express from 'express';
import manifest from './package.json' with { type: 'json' };
import { openStore } from './store.ts';

const CONTRACT = readFileSync(new URL('../../../contract/VERSION', import.meta.url), 'utf8').trim();
const ABOUT = { runtime: 'node', version: manifest.version, contract: CONTRACT };

const { values: flags } = parseArgs({
  options: {
    port: { type: 'string', default: '3141' },
    db: { type: 'string', default: 'events.db' },
    durability: { type: 'string', default: 'process' },
  },
});
const store = openStore(flags.db, flags.durability);
const app = express();
app.use(express.json({ limit: '8mb' }));

app.post('/api/events', (request, response) => {
  const stored = store.insert([request.body]);
  if (stored.rejected.length > 0) response.status(400).json(stored.rejected[0]);
  else response.status(stored.received === 0 ? 200 : 201).json(stored);
});

app.post('/api/events/batch', (request, response) => {
  const events: unknown = request.body?.events;
  if (Array.isArray(events)) response.status(201).json(store.insert(events));
  else response.status(400).json({ error: 'Expected { events: [...] }' });
});

app.get('/api/stats', (_, response) => {
  response.type('json').send(store.stats());
});

app.get('/api/health', (_, response) => {
  response.json({ ...ABOUT, ...store.health() });
});

const server = app.listen(Number(flags.port), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  const ready = { event: 'ready', url: `http://127.0.0.1:${port}`, pid: process.pid, ...ABOUT };
  console.log(JSON.stringify(ready));
});
process.once('SIGTERM', () => server.close(() => store.close()));
