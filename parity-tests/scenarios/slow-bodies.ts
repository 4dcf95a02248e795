/**
 * Tests bodies that arrive slowly or never. A declared length holds no room in the queue. When half-read bodies fill it,
 * the oldest one ends and the others give way.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { Connection } from '@twin-ingest/testkit/http/http-client.ts';
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const SLOW_BODIES: ScenarioFile = {
  name: 'slow-bodies',
  about: 'bodies that arrive slowly or never',
  scenarios: [
    ...(['nothing', 'a byte now and then', 'a new connection each time'] as const).map((sends) => ({
      name: `declared bodies that send ${sends} refuse no other request`,
      rules: ['ING-10'],
      attacks: ['X7'] as const,
      uses: 'each' as const,
      waits: true,
      faults: ['F15'] as const,
      run: (context: ScenarioContext) => declared(context, sends),
    })),
    {
      name: 'the oldest half-read body ends in a full queue, and others are refused',
      rules: ['ING-10', 'HTT-10'],
      attacks: ['X7'],
      uses: 'each',
      waits: true,
      faults: ['F15'],
      run: halfRead,
    },
    {
      name: 'half-read bodies of any framing give way to other requests',
      rules: ['ING-10'],
      attacks: ['X7'],
      uses: 'each',
      waits: true,
      faults: ['F15'],
      run: givesWay,
    },
  ],
};

const BODY = 1 << 20;
/** The declared lengths of eight bodies are the whole queue of bytes, and the events of one are that of events. */
const FLAGS = [
  ...['--max-body-bytes', String(BODY), '--queue-bytes', String(8 * BODY)],
  ...['--max-batch-events', '1000', '--queue-events', '1000'],
];
const HOSTILE_MS = 4_000;
const PACE_MS = 100;

/** The ways to declare a body, by the path and the headers. */
const KINDS = [
  ['/api/events/batch', ['content-type: application/json']],
  ['/api/events', ['content-type: application/json']],
  ['/api/events/batch', ['content-type: application/x-ndjson', 'content-encoding: gzip']],
  ['/api/events/batch', ['content-type: application/msgpack']],
  ['/api/hooks/claude-code', ['content-type: application/json']],
  ['/v1/logs', ['content-type: application/x-protobuf']],
  ['/api/rpc', ['content-type: application/json']],
] as const;

function headOf(port: number, at: number, framing: string): string {
  const [path, headers] = KINDS[at % KINDS.length]!;
  return [`POST ${path} HTTP/1.1`, `host: 127.0.0.1:${port}`, ...headers, framing, '', ''].join('\r\n');
}

async function declared(
  context: ScenarioContext,
  sends: 'nothing' | 'a byte now and then' | 'a new connection each time',
): Promise<void> {
  const server = await context.start({ flags: FLAGS });
  const client = context.client(server);
  const open = async (at: number): Promise<Connection> => {
    const connection = await Connection.open(server.port);
    context.atEnd(() => connection.close());
    connection.write(headOf(server.port, at, `content-length: ${BODY}`));
    return connection;
  };
  const slow = await Promise.all(Array.from({ length: 40 }, (_, at) => open(at)));
  const end = performance.now() + HOSTILE_MS;
  for (let turn = 0; performance.now() < end; turn++) {
    const place = turn % slow.length;
    if (sends === 'a byte now and then') for (const connection of slow) connection.write(' ');
    if (sends === 'a new connection each time') {
      slow[place]!.close();
      slow[place] = await open(place);
    }
    await requireStored(client);
    await pause(PACE_MS);
  }
}

/** Stores an event, and a batch whose estimate is the whole queue of events. */
async function requireStored(client: ApiClient): Promise<void> {
  const one = await client.post('/api/events', event());
  assert.equal(one.status, 201, one.text);
  const metadata = 'x'.repeat(100_000);
  const batch = await client.post('/api/events/batch', { events: [event({ metadata })] });
  assert.equal(batch.status, 201, batch.text);
}

/** A body that is complete but for its last byte. */
function longBody(): Buffer {
  const text = JSON.stringify(event({ metadata: '' }));
  return Buffer.from(text.replace('"metadata":""', `"metadata":"${'x'.repeat(BODY - text.length)}"`));
}

/** Sends bodies without their last byte, so that they fill the queue of bytes; the first one is the oldest. */
async function fill(context: ScenarioContext, port: number, framing: string): Promise<Connection[]> {
  const body = longBody();
  const isChunked = framing.startsWith('transfer-encoding');
  const all: Connection[] = [];
  for (let at = 0; at < 8; at++) {
    const connection = await Connection.open(port);
    context.atEnd(() => connection.close());
    const head = ['POST /api/events HTTP/1.1', `host: 127.0.0.1:${port}`, 'content-type: application/json'];
    connection.write([...head, framing, '', ''].join('\r\n'));
    if (isChunked) connection.write(`${body.length.toString(16)}\r\n`);
    connection.write(body.subarray(0, -1));
    all.push(connection);
    // The order of arrival.
    await pause(50);
  }
  return all;
}

const NOTHING = { method: 'POST', head: Buffer.alloc(0), body: Buffer.alloc(0), awaitContinue: false };

async function halfRead(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: FLAGS });
  const client = context.client(server);
  const [oldest, ...others] = await fill(context, server.port, `content-length: ${BODY}`);
  // Needs more than what is free, so half-read bodies give way to it or to the next one.
  const first = await client.post('/api/events', event());
  assert.ok(first.status === 201 || first.status === 503, first.text);
  const begun = performance.now();
  const exchanges = others.map(async (other) => {
    const answer = await other.exchange(NOTHING, 12_000);
    assert.equal(answer.kind, 'response');
    if (answer.kind !== 'response') throw new Error('no response');
    const { status, body } = answer.response;
    if (status === 503) assert.ok(await other.closedWithin(5_000), 'the rest of the body is not read');
    assert.ok(status === 503 || status === 408, body.toString());
    return { status, ms: performance.now() - begun };
  });
  const refused = await Promise.any(
    exchanges.map(async (one) => {
      const { status, ms } = await one;
      assert.equal(status, 503);
      return ms;
    }),
  );
  assert.ok(refused < LIMITS.admission_wait_ms, `a half-read body is refused after ${refused} ms`);
  await requireStored(client);
  const last = await oldest!.exchange({ ...NOTHING, body: Buffer.from('}') }, 10_000);
  assert.equal(last.kind === 'response' && last.response.status, 201, 'the oldest body ends');
  await Promise.all(exchanges);
}

async function givesWay(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: FLAGS });
  const client = context.client(server);
  for (const framing of [`content-length: ${BODY}`, 'transfer-encoding: chunked']) {
    const slow = await fill(context, server.port, framing);
    const statuses: number[] = [];
    const end = performance.now() + 2 * LIMITS.admission_wait_ms;
    while (performance.now() < end) {
      statuses.push((await client.post('/api/events', event())).status);
      await pause(PACE_MS);
    }
    const refused = statuses.lastIndexOf(503);
    assert.ok(refused <= 1, `${framing}: ${statuses.join(' ')}`);
    for (const connection of slow) connection.close();
  }
}
