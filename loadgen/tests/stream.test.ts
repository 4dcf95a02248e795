/** Tests the clients of the live stream: their counts, and that they detect every fault of a stream. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { openStore } from '../plain/typescript/store.ts';
import { createLagRecorder, StreamClient } from '../src/observe/stream/client.ts';
import { startStreamClients } from '../src/observe/stream/clients.ts';
import { printRow, type Row } from './fake-stream.ts';
import { failsWith } from './fake-targets.ts';
import { ANYWHERE, listen } from './listening-server.ts';
import { changedFile, folder, lifetime } from './scratch.ts';

const differs = (text: RegExp) => failsWith('stream_differs', text);

const frame = (id: number, row = `{"id":${id}}`) => `id: ${id}\ndata: {"type":"event","payload":${row}}\n\n`;
const connected =
  'data: {"type":"connected","timestamp":"2026-02-18T18:06:41.231Z","epoch":"e","last_id":0}\n\n';

/** Starts clients of a server whose stream is this text. With `over`, the stream ends after it. */
async function canned(text: string, count = 1, { over = false, status = 200 } = {}) {
  const { url } = await listen((_, response) => {
    response.writeHead(status, { 'content-type': 'text/event-stream' }).write(text);
    return over ? void response.end() : new Promise(() => undefined);
  });
  return startStreamClients(url, count, { lifetime, placement: ANYWHERE });
}

/** A file with three rows, and their frames. */
const threeRows = join(folder, 'three.db');
const store = openStore(threeRows, 'process');
const event = { session_id: 'é"\n', agent_type: 'a', event_type: 'error', cost_usd: 1e-9 };
const whole = { ...event, tokens_in: 2 ** 53 - 1, metadata: { a: '\n'.repeat(9_000) } };
store.insert([event, whole, event]);
store.close();
const rows = new Database(threeRows).prepare<[], Row>('SELECT * FROM events_readable').all();
const [one = '', two = '', third = ''] = rows.map((row) => frame(row.id as number, printRow(row)));
const all = connected + one + two + third;
const stats = 'data: {"type":"stats","payload":{}}\n\n: heartbeat\n\n';
const reset = 'data: {"type":"reset"}\n\n';

/** Line ends between tokens of metadata, which the stream sends as spaces. */
const LINE_ENDS = "UPDATE events_readable SET metadata = '{' || char(13, 10) || '}' WHERE id = 1";

/** Streams of three rows, what is wrong with them, and SQL that changes the file before the comparison. */
const STREAMS: readonly (readonly [what: string, text: string, problem: RegExp | null, sql?: string])[] = [
  ['others between', connected + one + stats + two + third, null],
  ['spaces for line ends', all.replace('"metadata":{}', '"metadata":{  }'), null, LINE_ENDS],
  ['one left out', connected + one + third, /got id 3 after 1/],
  ['one twice', connected + one + two + two + third, /got id 2 after 2/],
  ['a reset', connected + one + reset + two + third, /sent an unexpected frame: data: {"type":"reset"}/],
  ['half a frame', `${connected}${one}id: 2\n\n${two}${third}`, /sent an unexpected frame: id: 2/],
  ['two beginnings', connected + one + connected + two + third, /frame: data: {"type":"connected"/],
  ['a late beginning', connected.replace(':0}', ':1}') + two + third, /2 frames of 3 acknowledged events/],
  ['an altered row', all, /3 frames of 3 rows, not the same/, "UPDATE events_readable SET metadata = ''"],
  ['a row more', all, /3 frames of 4 rows/, 'INSERT INTO events_readable (id) VALUES (4)'],
];

for (const [what, text, problem, sql = ''] of STREAMS) {
  test(`a stream with ${what} is ${problem === null ? 'complete' : 'not'}`, async () => {
    const clients = await canned(text);
    await clients.ask('until', 3);
    const finishing = clients.ask('finish', changedFile(threeRows, sql), 'round 1', 3);
    if (problem === null) assert.equal((await finishing).frames, 3);
    else await assert.rejects(finishing, differs(problem));
    await clients.close();
  });
}

test('a wait in vain reports what is missing', async () => {
  const ended = await canned(connected + one, 2, { over: true });
  const before = /2 of 2 .* not seen id 3 before their stream ended\nthe stream ended after id 1/;
  await assert.rejects(ended.ask('until', 3), differs(before));
  const silent = await canned(connected + one);
  await assert.rejects(silent.ask('until', 3, 50), differs(/nothing for 50 ms\nstopped at id 1/));
  const refused = canned('', 1, { over: true, status: 503 });
  await assert.rejects(refused, differs(/not connected[\s\S]*answered 503/));
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
  const recorder = createLagRecorder(created);
  assert.equal(recorder.lag(), null);
  const row =
    '{"session_id":"\\"created_at\\":\\"","created_at":"2026-02-18T18:06:41.231Z","metadata":{"created_at":"x"}}';
  const bytes = Buffer.from(row);
  for (const now of [created + 2, created + 2, created + 40, created - 5]) recorder.note(bytes, now);
  const late = createLagRecorder(created + 1);
  late.note(bytes, created + 40);
  assert.equal(late.lag(), null, 'a row from before the mark');
  const { samples, max_ms, p50_ms } = recorder.lag()!;
  assert.deepEqual([samples, Math.round(max_ms), Math.round(p50_ms)], [4, 40, 2]);
});
