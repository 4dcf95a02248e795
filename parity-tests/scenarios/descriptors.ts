/**
 * Tests a shortage of file descriptors: the server refuses connections before anything else fails.
 *
 * The shell lowers the limit for the server alone. Idle connections then need more descriptors than exist.
 */
import assert from 'node:assert/strict';
import net from 'node:net';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const DESCRIPTORS: ScenarioFile = {
  name: 'descriptors',
  about: 'few file descriptors',
  scenarios: [
    {
      name: 'a hard limit of 64 refuses connections and nothing else',
      rules: ['HTT-12', 'STO-05'],
      uses: 'each',
      faults: ['F18'],
      run: (context) => fill(context, 'ulimit -n 64', 80, 'refuses'),
    },
    {
      name: 'a hard limit of 1,024 refuses connections and nothing else',
      rules: ['HTT-12', 'STO-05'],
      uses: 'each',
      faults: ['F18'],
      run: (context) => fill(context, 'ulimit -n 1024', 1_100, 'refuses'),
    },
    {
      name: 'a soft limit of 128 is raised to the hard limit',
      rules: ['HTT-12'],
      uses: 'each',
      run: (context) => fill(context, 'ulimit -S -n 128', 200, 'accepts all'),
    },
  ],
};

/** The database reaches this size only after several checkpoints (rule STO-04). */
const DB_BYTES = 8 << 20;

async function fill(
  context: ScenarioContext,
  limit: string,
  count: number,
  expected: 'refuses' | 'accepts all',
): Promise<void> {
  const server = await context.start({ wrapper: ['sh', '-c', `${limit}; exec "$@"`, 'sh'] });
  const client = context.client(server);
  // Opens connections for three concurrent requests before the idle connections use up the descriptors.
  await Promise.all([1, 2, 3].map(() => client.get('/livez')));
  const refused = await openIdle(context, server, count);
  await requireReads(client);
  await checkpoint(client);
  await requireReads(client);
  if (expected === 'accepts all') assert.equal(refused(), 0);
  else await until(() => refused() > 0, 'a connection is refused');
  assert.deepEqual(await server.stop(), { code: 0, signal: null }, server.stderr());
}

/** Stores events until the log is copied into the database. */
async function checkpoint(client: ApiClient): Promise<void> {
  const events = Array.from({ length: 1_000 }, () => event({ metadata: 'x'.repeat(500) }));
  await until(async () => {
    await client.ingest(events);
    const { db_bytes } = (await client.get('/api/health')).json<{ db_bytes: number }>();
    return db_bytes > DB_BYTES;
  }, 'several checkpoints');
}

/** Opens idle connections; returns how many received an answer, which can only be a refusal. */
async function openIdle(
  context: ScenarioContext,
  server: RunningServer,
  count: number,
): Promise<() => number> {
  let refused = 0;
  for (let index = 0; index < count; index++) {
    const socket = net.connect(server.port, '127.0.0.1');
    context.atEnd(() => socket.destroy());
    socket.on('error', () => {});
    socket.once('data', (bytes: Buffer) => {
      assert.match(bytes.toString(), /^HTTP\/1\.1 503 .*"code":"overloaded"\}$/s);
      refused++;
    });
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  }
  return () => refused;
}

/** Runs every kind of read, three at once, so that several readers are needed. */
async function requireReads(client: ApiClient): Promise<void> {
  const { revision } = (await client.get('/api/snapshot/events')).json<{ revision: string }>();
  const paths = [
    '/api/stats',
    '/api/health',
    '/api/events?limit=1000',
    '/api/filter-options',
    '/api/sessions',
    `/api/snapshot/events?since=${revision}`,
  ];
  while (paths.length > 0) {
    const some = paths.splice(0, 3);
    const replies = await Promise.all(some.map((path) => client.get(path)));
    for (const [at, reply] of replies.entries())
      assert.equal(reply.status, 200, `${some[at]}: ${reply.text}`);
  }
}
