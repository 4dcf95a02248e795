/**
 * Tests reads of rows with megabytes of metadata. Each response has a bounded part of them, and both servers end it at the
 * same row. Clients still get every row.
 *
 * The bytes of a response are the counter of its cost. The memory of a server is measured with `--slow`.
 */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { mediaTypeOf } from '@twin-ingest/testkit/codecs/format.ts';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import TUNING from '../../contract/tuning.json' with { type: 'json' };
import { exportedIds, followedPages, type Page } from '../src/followed-pages.ts';
import { memoryMb, requireProc, resetMostMemory } from '../src/process-figures.ts';
import { postCall } from '../src/rpc-calls.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const LARGE_ROWS: ScenarioFile = {
  name: 'large-rows',
  about: 'reads of rows with megabytes of metadata',
  scenarios: [
    {
      name: 'a page ends before its metadata exceeds page_bytes, at the same row in both servers and in every format',
      rules: ['GET-14', 'SES-04', 'FMT-08', 'FMT-09'],
      attacks: ['X6'],
      uses: 'both',
      run: boundedPages,
    },
    {
      name: 'a snapshot since a revision is a reset when the new events have more than page_bytes',
      rules: ['SYN-07', 'GET-14'],
      attacks: ['X6'],
      uses: 'both',
      run: resetSnapshots,
    },
    {
      name: 'a replay of the stream has every row, also for a client that stops reading',
      rules: ['STR-03', 'STR-08', 'GET-14'],
      attacks: ['X6'],
      uses: 'each',
      run: replays,
    },
    {
      name: 'the results of a batch of calls have at most rpc_batch_bytes, and a refused call stores nothing',
      rules: ['RPC-01', 'RPC-05'],
      attacks: ['X6'],
      uses: 'both',
      run: boundedCalls,
    },
    {
      name: 'eight replays take bounded memory, also when their clients stop reading',
      rules: ['STR-08', 'GET-14'],
      attacks: ['X6'],
      uses: 'each',
      measures: true,
      run: memoryOfReplays,
    },
    {
      name: 'eight clients at each other endpoint take bounded memory',
      rules: ['GET-14', 'SYN-07', 'RPC-01'],
      attacks: ['X6'],
      uses: 'each',
      measures: true,
      run: memoryOfReads,
    },
    {
      name: 'eight batches of calls with all the results that they may have take bounded memory',
      rules: ['GET-14', 'RPC-01'],
      attacks: ['X6'],
      uses: 'each',
      measures: true,
      run: memoryOfCalls,
    },
    {
      name: 'a batch of calls does not wait for clients that leave their batches unread',
      rules: ['RPC-01'],
      attacks: ['X6', 'X14'],
      uses: 'each',
      measures: true,
      run: unreadCalls,
    },
  ],
};

/** README: "raises the limit" for whole hooks. */
const FLAGS = ['--max-metadata-bytes', '8388608'];
/** Room for the other members of a response's rows. */
const OTHER_BYTES = 64 << 10;

/** Returns metadata of exactly this many bytes. */
const metadataOf = (bytes: number, filling = 'x'): { readonly m: string } => {
  const around = JSON.stringify({ m: '' }).length;
  return { m: filling.repeat(Math.floor((bytes - around) / Buffer.byteLength(filling))) };
};

/** Sizes around the bound: alone above it, exactly it, and small rows between large ones. */
const SIZES = [
  LIMITS.page_bytes - 1_000,
  LIMITS.page_bytes / 2,
  LIMITS.page_bytes / 2,
  LIMITS.page_bytes / 2 + 1,
  ...Array.from({ length: 20 }, () => 100),
  LIMITS.page_bytes - 2_000,
  ...Array.from({ length: 12 }, (_, at) => 700_000 + at),
  1_000,
];

/** Returns the numbers of rows of pages, whose rows have these bytes in the order of the pages. */
function expectedPages(sizes: readonly number[]): number[] {
  const pages: number[] = [];
  let [rows, bytes] = [0, 0];
  for (const size of sizes) {
    if (rows > 0 && bytes + size > LIMITS.page_bytes) {
      pages.push(rows);
      [rows, bytes] = [0, 0];
    }
    rows++;
    bytes += size;
  }
  return [...pages, rows];
}

/** Stores a row for each size; half of its bytes may be characters of two bytes. */
async function fill(client: ApiClient, sizes: readonly number[]): Promise<void> {
  for (const [at, size] of sizes.entries()) {
    const metadata = metadataOf(size, at % 2 === 0 ? 'x' : 'é');
    await client.ingest([event({ metadata, tool_name: at % 3 === 0 ? 'Bash' : 'Read' })]);
  }
}

/** Starts this server on a filled database, and then the other one on the same file. */
async function withBoth(
  context: ScenarioContext,
  sizes: readonly number[],
  work: (client: ApiClient, server: RunningServer) => Promise<unknown>,
): Promise<void> {
  const found: unknown[] = [];
  for (const target of [context.target, context.other]) {
    const server = await context.start({ target, flags: FLAGS });
    const client = context.client(server);
    if (found.length === 0) await fill(client, sizes);
    found.push(await work(client, server));
    await server.stop();
  }
  assert.deepEqual(found[1], found[0], 'both servers end at the same rows');
}

async function boundedPages(context: ScenarioContext): Promise<void> {
  const bytes = SIZES.map((size, at) =>
    Buffer.byteLength(JSON.stringify(metadataOf(size, at % 2 === 0 ? 'x' : 'é'))),
  );
  const all = SIZES.map((_, at) => at + 1);
  await withBoth(context, SIZES, async (client) => {
    const pages = [];
    for (const filter of ['limit=1000', 'limit=1000&q=session', 'limit=2']) {
      const isWhole = filter === 'limit=1000';
      for (const order of isWhole ? (['asc', 'desc'] as const) : (['desc'] as const)) {
        for (const format of isWhole ? (['json', 'msgpack', 'protobuf'] as const) : (['json'] as const)) {
          const list = await followedPages(client, filter, order, format);
          const ids = list.flatMap((page) => page.ids);
          assert.deepEqual(ids, order === 'asc' ? all : all.toReversed(), `${filter} ${order} ${format}`);
          if (isWhole) {
            const counts = list.map((page) => page.ids.length);
            const sizes = order === 'asc' ? bytes : bytes.toReversed();
            assert.deepEqual(counts, expectedPages(sizes), `${order} ${format}`);
          }
          pages.push(list);
        }
      }
    }
    for (const format of ['ndjson', 'arrow'] as const) {
      const ids = await exportedIds(client, 'limit=1000&order=asc', format);
      assert.deepEqual(ids, all, `an export as ${format}`);
    }
    for (const path of ['/api/events?limit=1000', '/api/sessions/session', '/api/snapshot/session:session']) {
      const { body } = await client.get(path);
      assert.ok(body.length < LIMITS.page_bytes + OTHER_BYTES, `${path} has ${body.length} bytes`);
    }
    return pages;
  });
}

async function resetSnapshots(context: ScenarioContext): Promise<void> {
  const sizes = [1_000, LIMITS.page_bytes / 2, LIMITS.page_bytes / 2, 1_000];
  await withBoth(context, sizes, async (client) => {
    const found = [];
    for (const since of [1, 2, 3]) {
      const { body, text } = await client.get(`/api/snapshot/events?limit=1000&since=${since}`);
      const { reset, data } = JSON.parse(text) as { reset?: true; data: Page };
      found.push([since, reset, data.events.map(({ id }) => id), data.next]);
      assert.ok(body.length < LIMITS.page_bytes + OTHER_BYTES, `${body.length} bytes`);
    }
    assert.deepEqual(found, [
      [1, true, [4, 3], 3],
      [2, undefined, [4, 3], null],
      [3, undefined, [4], null],
    ]);
    return found;
  });
}

async function replays(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: [...FLAGS, '--heartbeat-ms', '5000'] });
  const client = context.client(server);
  const sizes = SIZES.slice(0, 25);
  await fill(client, sizes);
  const expected = sizes.map((_, at) => at + 1);
  for (const query of ['?after=0', '?after=0&session_id=session']) {
    const streams = await Promise.all([1, 2].map(() => context.stream(server, query)));
    streams[0]!.pause();
    for (const stream of streams.slice(1)) {
      await stream.waitFor(() => stream.ids.length >= sizes.length, 'every row', 30_000);
    }
    streams[0]!.resume();
    await streams[0]!.waitFor(() => streams[0]!.ids.length >= sizes.length, 'every row', 30_000);
    for (const stream of streams) {
      assert.deepEqual(stream.ids, expected);
      assert.equal(stream.ended, false);
      stream.close();
    }
  }
}

interface CallResponse {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: {
    readonly code: number;
    readonly data: { readonly code: string; readonly limit: number };
  };
}

async function boundedCalls(context: ScenarioContext): Promise<void> {
  const sizes = Array.from({ length: 6 }, () => 3 << 20);
  let stored = sizes.length;
  await withBoth(context, sizes, async (client, server) => {
    const send = async (calls: readonly Record<string, unknown>[]): Promise<[Buffer, CallResponse[]]> => {
      const body = Buffer.from(JSON.stringify(calls.map((call) => ({ jsonrpc: '2.0', ...call }))));
      const reply = await postCall(server.port, body);
      return [reply.body, JSON.parse(reply.body.toString()) as CallResponse[]];
    };
    const query = (id: number) => ({ method: 'events.query', params: [{ limit: 2, before: 7 }], id });
    const ingest = { method: 'events.ingest', params: [[event({ session_id: 'call' })]] };
    const [body, responses] = await send([
      { ...ingest, id: 0 },
      ...Array.from({ length: 6 }, (_, at) => query(at + 1)),
      { ...ingest, id: 7 },
      { method: 'stats.get', id: 8 },
      { method: 'unknown', id: 9 },
      ingest,
    ]);
    stored += 2;
    const outcomes = responses.map(({ result, error }) =>
      result ? 'result' : (error?.data?.code ?? error?.code),
    );
    const refused = Array.from({ length: 6 }, () => 'answer_too_large');
    assert.deepEqual(outcomes, ['result', 'result', 'result', ...refused, -32601]);
    const large = responses[3]!.error!;
    assert.deepEqual([large.code, large.data.limit], [-32000, LIMITS.rpc_batch_bytes]);
    assert.ok(body.length < LIMITS.rpc_batch_bytes + OTHER_BYTES, `${body.length} bytes`);
    const { events } = (await client.get('/api/events?session_id=call')).json<Page>();
    assert.equal(
      events.length,
      stored - sizes.length,
      'the refused call stored nothing, that without an id did',
    );
    return outcomes;
  });
}

const CLIENTS = 8;
const ROWS = 10;
/** Largest metadata of an event that fits into a body of the default size. */
const LARGEST = LIMITS.page_bytes - 300;
const MOST_MB = { rs: 150, ts: 450 } as const;
/** Metadata of rows of which two results fit into a batch of calls. */
const TWO_FIT = LIMITS.rpc_batch_bytes / 2 - 4_096;
/** A batch that waits for its turn goes on after this time. */
const MOST_TURN_MS = TUNING.large_results_wait_ms;

type Read = readonly [what: string, run: (port: number) => Promise<unknown>];

/** Four reads of a page in one batch. */
const BATCH = JSON.stringify(
  [0, 1, 2, 3].map((id) => ({ jsonrpc: '2.0', method: 'events.query', params: [{ limit: 1000 }], id })),
);
const CALLS: readonly Read[] = [
  ['a batch of calls', (port) => read(port, '/api/rpc', '*/*', BATCH)],
  ['a batch of calls as msgpack', (port) => read(port, '/api/rpc', 'application/vnd.msgpack', BATCH)],
];

async function memoryOfReplays(context: ScenarioContext): Promise<void> {
  await boundedMemory(context, [
    ['a replay', (port) => readReplay(port, '?after=0', 0)],
    ['a stalled replay', (port) => readReplay(port, '?after=0&agent_type=agent', 3_000)],
  ]);
}

async function memoryOfReads(context: ScenarioContext): Promise<void> {
  if (!context.options.slow) context.skip('takes a minute: run it with --slow');
  const formats = ['json', 'msgpack', 'protobuf', 'ndjson', 'arrow'] as const;
  await boundedMemory(context, [
    ...formats.flatMap((format): Read[] => {
      const accept = mediaTypeOf(format);
      return [
        [`/api/events as ${format}`, (port) => read(port, '/api/events?limit=1000', accept)],
        [
          `/api/snapshot/events as ${format}`,
          (port) => read(port, '/api/snapshot/events?limit=1000', accept),
        ],
      ];
    }),
    ...[
      '/api/events?q=xxxx',
      '/api/events?agent_type=agent',
      '/api/events/1',
      '/api/sessions/session',
      '/api/snapshot/session:session',
      '/api/snapshot/events?since=1&limit=1000',
    ].map((path): Read => [path, (port) => read(port, path)]),
    ...CALLS,
  ]);
}

async function memoryOfCalls(context: ScenarioContext): Promise<void> {
  if (!context.options.slow) context.skip('takes a minute: run it with --slow');
  await boundedMemory(context, CALLS, TWO_FIT);
}

/** A batch waits for the turn of another one only until that one is built, and not until its client has read it. */
async function unreadCalls(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: FLAGS });
  const client = context.client(server);
  for (let row = 0; row < 3; row++) await client.ingest([event({ metadata: metadataOf(TWO_FIT) })]);
  for (let unread = 0; unread < CLIENTS; unread++) {
    const headers = { 'content-type': 'application/json' };
    const { port } = server;
    await new Promise<void>((resolve, reject) => {
      const sent = request({ port, path: '/api/rpc', method: 'POST', headers, agent: false }, (response) => {
        assert.equal(response.statusCode, 200);
        response.on('error', () => {}).pause();
        resolve();
      });
      sent.on('error', reject).end(BATCH);
      context.atEnd(() => sent.destroy());
    });
  }
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    const begun = performance.now();
    await read(server.port, '/api/rpc', '*/*', BATCH);
    times.push(Math.round(performance.now() - begun));
  }
  context.note(`batches next to unread ones took ${times.join(', ')} ms`);
  assert.ok(Math.min(...times) < MOST_TURN_MS, `each batch waited for the unread ones: ${times} ms`);
}

/** Runs each read with eight clients at a server with the largest rows. A read that fails does not hide the others. */
async function boundedMemory(
  context: ScenarioContext,
  reads: readonly Read[],
  bytes = LARGEST,
): Promise<void> {
  requireProc(context);
  const server = await context.start({ flags: FLAGS });
  const client = context.client(server);
  for (let row = 0; row < ROWS; row++) {
    await client.ingest([event({ event_id: `${row}`, metadata: metadataOf(bytes, row % 2 ? 'é' : 'x') })]);
  }
  const { port, pid } = server;
  const problems: string[] = [];
  for (const [what, run] of reads) {
    resetMostMemory(pid);
    const ends = await Promise.allSettled(Array.from({ length: CLIENTS }, () => run(port)));
    const failures = ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
    const mb = Math.round(memoryMb(pid, 'VmHWM'));
    context.note(`${what}: ${mb} MB`);
    if (mb > MOST_MB[context.target]) problems.push(`${what}: ${mb} MB`);
    problems.push(...new Set(failures));
  }
  assert.deepEqual(problems, [], 'endpoints that take more memory, or do not respond');
}

/** Reads a response to its end, and keeps nothing of it. A client that is refused while all readers are busy tries again. */
async function read(port: number, path: string, accept = '*/*', body?: string): Promise<void> {
  const headers = { accept, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const method = body === undefined ? 'GET' : 'POST';
  const once = () =>
    new Promise<number>((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', path, method, headers, agent: false }, (response) => {
        response
          .on('data', () => {})
          .on('error', reject)
          .on('end', () => resolve(response.statusCode!));
      });
      sent.on('error', reject).end(body);
    });
  let status = await once();
  for (let tries = 1; status === 503 && tries < 10; tries++) status = await once();
  assert.equal(status, 200, path);
}

/** What begins the frame of the last row. */
const LAST_ROW = Buffer.from(`id: ${ROWS}\ndata`);

/** Reads a replay up to its last row, after a pause. */
function readReplay(port: number, query: string, pauseMs: number): Promise<void> {
  const path = `/api/stream${query}`;
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, agent: false }, (response) => {
      let end = Buffer.alloc(0);
      response.on('data', (bytes: Buffer) => {
        const seen = Buffer.concat([end, bytes]);
        end = seen.subarray(-LAST_ROW.length);
        if (!seen.includes(LAST_ROW)) return;
        resolve();
        response.destroy();
      });
      // An error or an early end closes the response too. After the last row this changes nothing.
      response.on('error', () => {}).on('close', () => reject(new Error(`${path} ended early`)));
      response.pause();
      setTimeout(() => response.resume(), pauseMs);
    });
    sent.on('error', reject).end();
  });
}
