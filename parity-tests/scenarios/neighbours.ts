/**
 * Tests that clients with unusual demands do not delay an ordinary one. These hold idle connections, stalled streams and
 * slow uploads, or send compressed bodies of megabytes and objects of 10,000 keys.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { Connection, compose } from '@twin-ingest/testkit/http/http-client.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import { memoryMb, memoryWithin, requireProc, resetMostMemory } from '../src/process-figures.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

/** Starts what disturbs the ordinary client, and returns the function that ends it. */
type Neighbour = (context: ScenarioContext, server: RunningServer) => Promise<() => Promise<void>>;

export const NEIGHBOURS: ScenarioFile = {
  name: 'neighbours',
  about: 'an ordinary client next to unusual ones',
  scenarios: [
    scenario('500 idle connections delay no other client', ['HTT-12'], idleConnections),
    scenario('256 stalled streams delay no other client', ['STR-08', 'STR-09'], stalledStreams),
    scenario('64 slow uploads delay no other client', ['ING-10', 'HTT-11'], slowUploads),
    scenario('compressed bodies of 8 MiB delay no other client for long', ['BOD-05', 'ING-09'], bombs),
    scenario('objects of 10,000 keys delay no other client for long', ['MET-02', 'ING-03'], manyKeys),
  ],
};

function scenario(name: string, rules: readonly string[], neighbour: Neighbour) {
  return {
    name,
    rules,
    uses: 'each',
    measures: true,
    run: (context: ScenarioContext) => measure(context, neighbour),
  } as const;
}

const REQUESTS = 300;
/**
 * The p99 at most doubles on a quiet machine, compared with that next to two threads that only use the processors. The
 * rest is for other programs.
 */
const MOST_TIMES = 2;
const MARGIN_MS = 100;
const BUSY_THREADS = 2;
const MOST_GROWN_MB = 400;
const MOST_KEPT_MB = 200;

async function measure(context: ScenarioContext, neighbour: Neighbour): Promise<void> {
  requireProc(context);
  const server = await context.start();
  const client = context.client(server);
  // The first requests compile code and fill caches.
  await p99(client);
  const before = await p99(client);
  const busy = await p99NextToBusyThreads(client);
  const memory = memoryMb(server.pid, 'VmRSS');
  resetMostMemory(server.pid);
  const end = await neighbour(context, server);
  const during = await p99(client);
  await end();
  const grown = memoryMb(server.pid, 'VmHWM') - memory;
  const kept = (await memoryWithin(server.pid, memory + MOST_KEPT_MB, 15_000)) - memory;
  const times = `p99 ${before.toFixed(1)} ms, ${busy.toFixed(1)} next to busy threads, then ${during.toFixed(1)} ms`;
  context.note(`${times}, ${grown.toFixed(0)} MB more`);
  assert.ok(during < MOST_TIMES * Math.max(before, busy) + MARGIN_MS, times);
  assert.ok(grown < MOST_GROWN_MB, `the server grew by ${grown.toFixed(0)} MB`);
  assert.ok(kept < MOST_KEPT_MB, `the server kept ${kept.toFixed(0)} MB`);
}

/** Measures what a neighbour costs that never talks to the server: the kernel gives it time slices of milliseconds. */
async function p99NextToBusyThreads(client: ApiClient): Promise<number> {
  const threads = Array.from({ length: BUSY_THREADS }, () => new Worker('for (;;);', { eval: true }));
  try {
    return await p99(client);
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

async function p99(client: ApiClient): Promise<number> {
  const times: number[] = [];
  for (let sent = 0; sent < REQUESTS; sent += 1) {
    const begun = performance.now();
    const { status, text } = await client.post('/api/events', event());
    times.push(performance.now() - begun);
    assert.equal(status, 201, text);
  }
  times.sort((one, other) => one - other);
  return times[Math.floor(REQUESTS * 0.99)]!;
}

async function open(context: ScenarioContext, port: number, count: number): Promise<Connection[]> {
  const all = await Promise.all(Array.from({ length: count }, () => Connection.open(port)));
  context.atEnd(() => {
    for (const connection of all) connection.close();
  });
  return all;
}

async function idleConnections(
  context: ScenarioContext,
  server: RunningServer,
): Promise<() => Promise<void>> {
  const idle = await open(context, server.port, 500);
  return async () => {
    for (const connection of idle) connection.close();
  };
}

const PADDED_EVENTS = 200;

async function stalledStreams(context: ScenarioContext, server: RunningServer): Promise<() => Promise<void>> {
  const streams = await Promise.all(Array.from({ length: 256 }, () => context.stream(server)));
  for (const stream of streams) stream.pause();
  const padded = event({ metadata: { padding: 'x'.repeat(9_000) } });
  await context.client(server).ingest(Array.from({ length: PADDED_EVENTS }, () => padded));
  return async () => {
    for (const stream of streams) stream.close();
  };
}

/** One byte of each body arrives every 0.1 s. */
async function slowUploads(context: ScenarioContext, server: RunningServer): Promise<() => Promise<void>> {
  const uploads = await open(context, server.port, 64);
  const headers = [
    ['host', `127.0.0.1:${server.port}`],
    ['content-type', 'application/json'],
    ['content-length', '100000'],
  ] as const;
  const { head } = compose('POST', '/api/events', headers, Buffer.alloc(0));
  for (const upload of uploads) upload.write(head);
  return repeating(1, async () => {
    for (const upload of uploads) upload.write(' ');
    await pause(100);
  });
}

/** Runs work again and again, with the given concurrency, until the returned function is called. */
function repeating(concurrency: number, work: () => Promise<void>): () => Promise<void> {
  let isDone = false;
  const loop = async (): Promise<void> => {
    while (!isDone) await work();
  };
  const loops = Promise.all(Array.from({ length: concurrency }, loop));
  return async () => {
    isDone = true;
    await loops;
  };
}

const EMPTY_ITEMS = 2_700_000;

async function bombs(context: ScenarioContext, server: RunningServer): Promise<() => Promise<void>> {
  const body = gzipSync(`{"events":[${'{},'.repeat(EMPTY_ITEMS - 1)}{}]}`);
  const client = context.client(server);
  return repeating(2, async () => {
    const headers = [['content-encoding', 'gzip']] as const;
    const { status, text } = await client.send('POST', '/api/events/batch', body, headers, 60_000);
    assert.equal(status, 413, text);
  });
}

async function manyKeys(context: ScenarioContext, server: RunningServer): Promise<() => Promise<void>> {
  const keys = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`key ${at}`, at]));
  // Made once: this process also measures the ordinary client.
  const bodies = [
    ['/api/events', 201, event({ metadata: keys })],
    ['/api/events', 400, keys],
    ['/api/hooks/claude-code', 200, { session_id: 's', ...keys }],
  ] as const;
  const requests = bodies.map(
    ([path, status, content]) => [path, status, Buffer.from(JSON.stringify(content))] as const,
  );
  const client = context.client(server);
  return repeating(2, async () => {
    for (const [path, expected, body] of requests) {
      const { status, text } = await client.send('POST', path, body, []);
      assert.equal(status, expected, text);
    }
  });
}
