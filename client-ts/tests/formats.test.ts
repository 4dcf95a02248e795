/** Tests the optional formats, decoded by the libraries of a server, and the Unix domain socket. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { pack, unpack } from 'msgpackr';
import { type Fetch, socketFetch as pageSocket } from '../src/fetch.ts';
import { msgpack } from '../src/msgpack.ts';
import { ndjson } from '../src/ndjson.ts';
import { protobuf } from '../src/protobuf.ts';
import { events } from '../src/read.ts';
import { Sender } from '../src/send.ts';
import { event } from './fake-ingest.ts';

const WHOLE = event({
  event_id: 'e',
  tool_name: undefined,
  tokens_in: 2 ** 53 - 1,
  cost_usd: 0.1,
  client_timestamp: '2024-02-29t00:00:00.1239+01:00',
  metadata: { a: ['ü', null] },
});

/** Returns a body with this event twice. */
const bodyOf = (format: typeof msgpack) => format.batch([format.event(WHOLE), format.event(WHOLE)]);

test('NDJSON has one event a line', () => {
  assert.equal(bodyOf(ndjson), `${JSON.stringify(WHOLE)}\n`.repeat(2));
});

test('MessagePack is a map with the events, metadata as JSON text', () => {
  const { tool_name: _, ...rest } = { ...WHOLE, metadata: '{"a":["ü",null]}' };
  assert.deepEqual(unpack(bodyOf(msgpack) as Uint8Array), { events: [rest, rest] });
});

test('Protobuf has the numbers of the contract, word indices and milliseconds', () => {
  const batch = new BinaryReader(bodyOf(protobuf) as Uint8Array);
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(batch.tag(), [1, WireType.LengthDelimited]);
    const message = new BinaryReader(batch.bytes());
    const fields: Record<number, unknown> = {};
    while (message.pos < message.len) {
      const [number, type] = message.tag();
      if (type === WireType.Varint) fields[number] = Number(message.uint64());
      else fields[number] = type === WireType.Bit64 ? message.double() : message.string();
    }
    assert.deepEqual(fields, {
      1: 's',
      2: 'agent',
      3: 1,
      5: 'e',
      11: 2 ** 53 - 1,
      15: 0.1,
      16: Date.parse('2024-02-28T23:00:00.123Z'),
      18: '{"a":["ü",null]}',
    });
  }
  assert.equal(batch.pos, batch.len);
});

for (const [name, value] of [
  ['event_type', 'tol_use'],
  ['tokens_in', -1],
  ['duration_ms', 0.5],
  ['cost_usd', Number.NaN],
  ['client_timestamp', '2026-02-30T00:00:00Z'],
  ['client_timestamp', '2026-02-28T24:00:00Z'],
  ['client_timestamp', '2026-02-28 10:00'],
  ['branch', '\ud800'],
] as const)
  test(`Protobuf refuses ${name} ${JSON.stringify(value)}, and the sender does not queue it`, () => {
    const sender = new Sender({ fetch: () => new Promise(() => undefined), format: protobuf });
    const wrong = { ...event(), [name]: value } as typeof WHOLE;
    assert.throws(() => sender.send(wrong), { name: 'TypeError', message: new RegExp(`^${name}: must be `) });
    assert.equal(sender.waiting, 0);
    sender.stop();
  });

for (const format of [ndjson, msgpack, protobuf])
  test(`the sender sends ${format.type} over a Unix domain socket`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'client-socket-'));
    const socketPath = join(folder, 's');
    const bodies: [string | undefined, Buffer][] = [];
    const server = createServer(async (request, response) => {
      bodies.push([request.headers['content-type'], Buffer.concat(await request.toArray())]);
      response.writeHead(201).end('{"received":2,"duplicates":0,"rejected":[],"revision":"2"}');
    }).listen(socketPath);
    t.after(() => {
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    });
    await once(server, 'listening');
    const sender = new Sender({ socketPath, format });
    sender.send(WHOLE);
    sender.send(WHOLE);
    await sender.flush({ timeout_ms: 5000 });
    sender.stop();
    assert.deepEqual(bodies, [[format.type, Buffer.from(bodyOf(format) as string)]]);
  });

test('a page refuses a socket path', () => {
  assert.throws(() => pageSocket('/run/s'), { name: 'TypeError', message: /socketPath/ });
});

/** Returns a `fetch` that answers with these bytes one by one, and then fails if `error` is given. */
const answering =
  (type: string, bytes: Uint8Array, error?: Error): Fetch =>
  async () => {
    const body = new ReadableStream({
      start(controller) {
        for (let i = 0; i < bytes.length; i++) controller.enqueue(bytes.subarray(i, i + 1));
        if (error === undefined) controller.close();
        else controller.error(error);
      },
    });
    return new Response(body, { headers: { 'content-type': type } });
  };
const ROWS = [
  { id: 9, tool_name: 'é😀' },
  { id: 7, tool_name: '\n' },
];

test('an NDJSON page is read in pieces of any size, with or without a final LF', async () => {
  const text = ROWS.map((row) => JSON.stringify(row)).join('\n');
  for (const whole of [text, `${text}\n`]) {
    const fetch = answering('application/x-ndjson; charset=utf-8', new TextEncoder().encode(whole));
    assert.deepEqual(await events({ fetch, format: ndjson }), { events: ROWS, next: 7, scanned_to: 7 });
  }
  const fetch = answering('application/x-ndjson', new Uint8Array());
  assert.deepEqual(await events({ fetch, format: ndjson }), { events: [], next: null, scanned_to: 0 });
});

test('an integer above 2^32 of a MessagePack page is a number', async () => {
  const row = { id: 2n ** 40n, tokens_in: 2n ** 53n - 1n, metadata: '[1]' };
  const fetch = answering('application/vnd.msgpack', pack({ events: [row], next: 5n, scanned_to: 5n }));
  const page = await events({ fetch, format: msgpack, query: { limit: 1 } });
  assert.deepEqual(page, {
    events: [{ id: 2 ** 40, tokens_in: 2 ** 53 - 1, metadata: [1] }],
    next: 5,
    scanned_to: 5,
  });
});

test('a Protobuf page of a newer server is read without its new fields, and new words are numbers', async () => {
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).fork();
  writer.tag(99, WireType.LengthDelimited).string('new').tag(19, WireType.Varint).uint64(3);
  writer.tag(3, WireType.Varint).uint32(200).join().tag(98, WireType.Varint).uint32(1);
  const fetch = answering('application/protobuf', writer.finish());
  const page = await events({ fetch, format: protobuf });
  assert.equal(page.next, null);
  assert.partialDeepStrictEqual(page.events[0], { id: 3, event_type: '200', tokens_in: 0, branch: null });
});

for (const format of [ndjson, msgpack, protobuf]) {
  test(`a page in ${format.type} rejects for another media type and for a truncated answer`, async () => {
    const html = answering('text/html', new TextEncoder().encode('<p>proxy'));
    await assert.rejects(events({ fetch: html, format }), { name: 'TypeError', message: /text\/html/ });
    const cut = answering(format.type, new Uint8Array(), new Error('broken'));
    await assert.rejects(events({ fetch: cut, format }), /broken/);
  });

  test(`a read in ${format.type} asks for it, and keeps the token`, async () => {
    let given: unknown;
    const fetch: Fetch = async (_, { headers }) => {
      given = headers;
      return new Response('', { headers: { 'content-type': 'text/html' } });
    };
    await assert.rejects(events({ fetch, format, token: 'secret' }));
    assert.deepEqual(given, { accept: format.type, authorization: 'Bearer secret' });
  });
}
