/** Tests the answers of a receiver that a test plays: which are repeated, halved, skipped or refused. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeMsgpack } from '@twin-ingest/testkit/codecs/msgpack.ts';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { forwardingOf, forwardMetrics, startSender, untilForwarded } from '../../src/forward-pair.ts';
import type { ScenarioContext } from '../../src/scenario.ts';

/** A played answer to a batch of these events. */
type Play = (ids: readonly unknown[]) => {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

interface Played {
  readonly port: number;
  readonly server: Server;
  /** The numbers of the events of each request, and its time. */
  readonly requests: {
    readonly numbers: readonly number[];
    readonly atMs: number;
    readonly headers: IncomingHttpHeaders;
  }[];
}

/** Answers the requests with these plays in turn. Every later request stores its batch. */
async function play(context: ScenarioContext, plays: readonly Play[]): Promise<Played> {
  const requests: Played['requests'] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { events } = decodeMsgpack(Buffer.concat(parts)) as { events: { metadata: string }[] };
      const numbers = events.map(({ metadata }) => (JSON.parse(metadata) as { n: number }).n);
      const answer = (plays[requests.length] ?? stored)(numbers);
      requests.push({ numbers, atMs: performance.now(), headers: request.headers });
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
      response.writeHead(answer.status, answer.headers).end(text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.atEnd(() => server.closeAllConnections());
  context.atEnd(() => server.close());
  return { port: (server.address() as AddressInfo).port, server, requests };
}

const stored: Play = (numbers) => ({
  status: 201,
  body: { received: numbers.length, ids: [], duplicates: 0, rejected: [], revision: '1' },
});

function numbered(from: number, to: number): unknown[] {
  return Array.from({ length: to - from }, (_, at) => event({ metadata: { n: from + at } }));
}

/** Every answer that does not acknowledge a batch repeats exactly this batch. */
export async function repeated(context: ScenarioContext): Promise<void> {
  const inARow: readonly Play[] = [
    () => ({ status: 401, body: { error: 'e', code: 'unauthorized' } }),
    () => ({ status: 404, body: '<html>' }),
    () => ({ status: 400, body: '<html>' }),
    () => ({ status: 302, headers: { location: '/elsewhere' } }),
  ];
  const single: readonly Play[] = [
    (numbers) => ({ status: 200, body: stored(numbers).body }),
    () => ({ status: 201, body: '<html>a portal</html>' }),
    () => ({ status: 201, body: { received: 2, ids: [], duplicates: 0, rejected: [] } }),
    // In 64 bits the sum is 1, the number of the events.
    () => ({ status: 201, body: '{"received":18446744073709551615,"duplicates":2,"rejected":[]}' }),
  ];
  const { port, requests } = await play(context, [
    ...inARow,
    stored,
    ...single.flatMap((one) => [one, stored]),
  ]);
  const sender = await startSender(context, 'stub', port);
  const client = context.client(sender);
  for (let n = 0; n <= single.length; n++) {
    await client.ingest(numbered(n, n + 1));
    await untilForwarded(client);
  }
  assert.deepEqual(
    requests.map(({ numbers }) => numbers),
    [0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4].map((n) => [n]),
  );
  // Doubled each time, and at least half of it.
  for (const [at, least] of [250, 500, 1000, 2000].entries()) {
    const waited = requests[at + 1]!.atMs - requests[at]!.atMs;
    assert.ok(waited >= least - 20 && waited <= 2 * least + 1_500, `wait ${at}: ${waited} ms`);
  }
  const metrics = await forwardMetrics(client);
  assert.deepEqual([metrics.failures_total, metrics.refused_events_total], [8, 0]);
  const reasons = lines(sender.stderr()).filter(({ failure }) => failure !== undefined);
  assert.deepEqual(
    reasons.map(({ failure }) => failure),
    [401, 404, 400, 302, 200].map((status) => `status_${status}`).concat(Array(3).fill('unexpected_answer')),
  );
  assert.equal((await forwardingOf(client)).failure, null);
}

/** The sender waits at least as long as `Retry-After` says. */
export async function retryAfter(context: ScenarioContext): Promise<void> {
  const busy: Play = () => ({
    status: 503,
    headers: { 'retry-after': '2' },
    body: { error: 'e', code: 'overloaded' },
  });
  const { port, requests } = await play(context, [busy]);
  const client = context.client(await startSender(context, 'stub', port));
  await client.ingest(numbered(0, 1));
  await untilForwarded(client);
  const waited = requests[1]!.atMs - requests[0]!.atMs;
  assert.ok(waited >= 1_990 && waited < 4_000, `${waited} ms`);
}

/** Refused events are skipped, logged and counted; all others arrive. */
export async function refused(context: ScenarioContext): Promise<void> {
  const tooLarge: Play = (numbers) =>
    numbers.includes(5) ? { status: 413, body: { error: 'e', code: 'payload_too_large' } } : stored(numbers);
  const coded: Play = (numbers) =>
    numbers.includes(5) ? { status: 400, body: { error: 'e', code: 'invalid_msgpack' } } : stored(numbers);
  const rejecting: Play = () => ({
    status: 201,
    body: {
      received: 8,
      ids: [],
      duplicates: 0,
      rejected: [
        { index: 3, errors: ['a: b'] },
        { index: 4, errors: [] },
      ],
    },
  });
  for (const [answer, count] of [
    [tooLarge, 1],
    [coded, 1],
    [rejecting, 2],
  ] as const) {
    const name = answer.name;
    const { port, requests } = await play(
      context,
      Array.from({ length: 20 }, () => answer),
    );
    const sender = await startSender(context, name, port);
    const client = context.client(sender);
    await client.ingest(numbered(0, 10));
    await untilForwarded(client);
    const arrived = requests
      .map(({ numbers }) => numbers)
      .filter((numbers) => !numbers.includes(5) || numbers.length === 1);
    if (count === 1) assert.deepEqual(arrived.flat(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const metrics = await forwardMetrics(client);
    assert.deepEqual(
      [metrics.events_total, metrics.refused_events_total, metrics.failures_total],
      [10 - count, count, 0],
    );
    const warning = lines(sender.stderr()).find(({ first_id: first }) => first !== undefined);
    assert.deepEqual([warning?.events, warning?.first_id], [count, count === 1 ? 6 : 4]);
    await sender.stop();
  }
}

/** A stop does not wait for a receiver that never answers. */
export async function silentReceiver(context: ScenarioContext): Promise<void> {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.atEnd(() => server.close());
  context.atEnd(() => server.closeAllConnections());
  const sender = await startSender(context, 'stub', (server.address() as AddressInfo).port);
  const client = context.client(sender);
  await client.ingest(numbered(0, 3));
  await once(server, 'request');
  const startMs = performance.now();
  assert.deepEqual(await sender.stop(), { code: 0, signal: null });
  const took = performance.now() - startMs;
  assert.ok(took < 2_000, `the stop took ${took} ms`);
}

/** Returns the log lines of a server. */
function lines(stderr: string): Readonly<Record<string, unknown>>[] {
  return stderr
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []));
}
