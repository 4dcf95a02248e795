/** Tests the clients of the live stream: their counts, and that they detect every fault of a stream. */
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { loadPool } from '../src/load/pool.ts';
import { LagRecorder, StreamClient } from '../src/observe/stream/client.ts';
import { startStreamClients } from '../src/observe/stream/clients.ts';
import { payloadOf } from '../src/observe/stream/stored-payloads.ts';
import { type Value, VIEW_COLUMNS } from '../src/verify/audit/row.ts';
import { FakeStore, printRow } from './fake-store.ts';
import { failsWith, SMALL_POOL, startFake } from './fake-targets.ts';
import { ANYWHERE, listen } from './listening-server.ts';
import { folder, lifetime } from './scratch.ts';

const start = (url: string, clients: number) =>
  startStreamClients({ url, clients, lifetime, placement: ANYWHERE });
const differs = (text: RegExp) => failsWith('stream_differs', text);

/** Sends 500 events of warm-up and 1,000 that count, with three clients. */
async function round(fault: string) {
  const pool = await loadPool(SMALL_POOL);
  const fake = await startFake(folder, fault);
  const clients = start(fake.url, 3);
  await clients.ready();
  const warmUp = await fake.send(pool, { first: 0, count: 500 });
  await clients.until(warmUp);
  await clients.mark();
  await clients.until(warmUp + (await fake.send(pool, { first: 500, count: 1000 })));
  await fake.stop();
  const cpu_us = await clients.cpu();
  const sample = await clients.finish(fake.file, 'round 1', 1500);
  assert.ok(cpu_us > 0 && cpu_us <= sample.clients_cpu_us);
  return sample;
}

test('clients that received every row are complete, and delivery lag leaves the warm-up out', async () => {
  const { clients, frames, lag } = await round('none');
  assert.deepEqual([clients, frames, lag!.samples], [3, 4500, 3000]);
});

test('rows that a server says came before its clients, and did not, fail the round', async () => {
  const text = /^round 1: 3 stream clients received 4200 frames of 1500 acknowledged events each$/;
  await assert.rejects(round('stream-begins-late'), differs(text));
});

const frame = (id: number, row = `{"id":${id}}`) => `id: ${id}\ndata: {"type":"event","payload":${row}}\n\n`;
const connected =
  'data: {"type":"connected","timestamp":"2026-02-18T18:06:41.231Z","epoch":"e","last_id":0}\n\n';

/** Starts clients of a server whose stream is this text. With `over`, the stream ends after it. */
async function canned(text: string, count = 1, { over = false, status = 200 } = {}) {
  const { url, close } = await listen((_, response) => {
    response.writeHead(status, { 'content-type': 'text/event-stream' }).write(text);
    return over ? void response.end() : new Promise(() => undefined);
  });
  lifetime.add(async () => close());
  return start(url, count);
}

/** A file with three rows, and their frames. */
const threeRows = join(folder, 'three.db');
const store = new FakeStore(threeRows, 'none');
const event = { session_id: 's', agent_type: 'a', event_type: 'error' };
const { rows } = store.ingest([event, { ...event, metadata: { a: '\n' } }, event]);
store.database.close();
const [one = '', two = '', third = ''] = rows.map((row) => frame(row.id as number, printRow(row)));
const all = one + two + third;
const other = 'got 3 frames of 3 rows, not the same bytes';
const reset = 'data: {"type":"reset"}';
const insert = 'INSERT INTO events_readable (metadata) VALUES (1)';

for (const [what, text, problem, spoil = ''] of [
  ['all in order', all, null],
  ['others between', `${one}data: {"type":"stats","payload":{}}\n\n: heartbeat\n\n${two}${third}`, null],
  ['one left out', one + third, 'got id 3 after 1'],
  ['one twice', one + two + two + third, 'got id 2 after 2'],
  ['a reset', `${one}${reset}\n\n${two}${third}`, `sent an unexpected frame: ${reset}`],
  ['half a frame', `${one}id: 2\n\n${two}${third}`, 'sent an unexpected frame: id: 2'],
  [
    'a second first frame',
    one + connected + two + third,
    'sent an unexpected frame: data: {"type":"connected"',
  ],
  ['an altered row', all, other, "UPDATE events_readable SET metadata = metadata || ' ' WHERE id = 2"],
  ['a row more in the file', all, other.replace('3 rows', '4 rows'), insert],
] as const) {
  test(`a stream with ${what} is ${problem === null ? 'complete' : 'not'}`, async () => {
    const clients = await canned(connected + text);
    await clients.ready();
    await clients.until(3);
    const file = join(folder, 'spoiled.db');
    copyFileSync(threeRows, file);
    const database = new Database(file);
    database.exec(spoil);
    database.close();
    const finishing = clients.finish(file, 'round 1', 3);
    if (problem === null) assert.equal((await finishing).frames, 3);
    else
      await assert.rejects(finishing, ({ message, details }) => {
        assert.equal(message, 'round 1: 0 of 1 stream clients received what is in the file');
        return details[0].startsWith(`client 1 ${problem}`);
      });
  });
}

test('a wait in vain reports what is missing', async () => {
  const ended = await canned(connected + one, 2, { over: true });
  await ended.ready();
  const before = /2 of 2 .* not seen id 3 before their stream ended\nthe stream ended after id 1/;
  await assert.rejects(ended.until(3), differs(before));
  const silent = await canned(connected + one);
  await silent.ready();
  await assert.rejects(silent.until(3, 50), differs(/nothing for 50 ms\nstopped at id 1/));
  const refused = await canned('', 1, { over: true, status: 503 });
  await assert.rejects(refused.ready(), differs(/not connected[\s\S]*answered 503/));
  await Promise.all([ended, silent, refused].map((clients) => clients.close()));
});

test('frames are the same wherever the bytes are cut', () => {
  const text = `${connected}${frame(1, '{"t":"é"}')}: heartbeat\n\n${frame(2, '{"t":"😀"}')}`;
  const bytes = Buffer.from(text);
  const read = (size: number) => {
    const client = new StreamClient();
    for (let at = 0; at < bytes.length; at += size) client.push(bytes.subarray(at, at + size), 0);
    return [client.after, client.last, client.frames, client.problem, client.digest()];
  };
  const whole = read(bytes.length);
  assert.deepEqual(whole.slice(0, 4), [0, 2, 2, null]);
  for (let size = 1; size < bytes.length; size++) assert.deepEqual(read(size), whole);
});

test('delivery lag is from created_at of the row to the arrival, and never below zero', () => {
  const created = Date.UTC(2026, 1, 18, 18, 6, 41, 231);
  const recorder = new LagRecorder(created);
  assert.equal(recorder.lag(), null);
  const row =
    '{"session_id":"\\"created_at\\":\\"","created_at":"2026-02-18T18:06:41.231Z","metadata":{"created_at":"x"}}';
  const bytes = Buffer.from(row);
  for (const now of [created + 2, created + 2, created + 40, created - 5]) recorder.note(bytes, now);
  const late = new LagRecorder(created + 1);
  late.note(bytes, created + 40);
  assert.equal(late.lag(), null, 'a row from before the mark');
  const { samples, max_ms, p50_ms } = recorder.lag()!;
  assert.deepEqual([samples, Math.round(max_ms), Math.round(p50_ms)], [4, 40, 2]);
});

test('a row is printed as the contract asks', () => {
  const says = new Map<string, [Value, string]>([
    ['id', [7, '7']],
    ['session_id', ['é"\n', '"é\\"\\n"']],
    ['tokens_in', [2 ** 53 - 1, '9007199254740991']],
    ['cost_usd', [1e-9, '1e-9']],
    ['payload_truncated', [1, 'true']],
    ['metadata', ['{"b":1.50,\r\n"a":"\\n"}', '{"b":1.50,  "a":"\\n"}']],
  ]);
  const members = VIEW_COLUMNS.map((name) => `"${name}":${says.get(name)?.[1] ?? 'null'}`);
  assert.equal(payloadOf(VIEW_COLUMNS.map((name) => says.get(name)?.[0] ?? null)), `{${members.join(',')}}`);
});
