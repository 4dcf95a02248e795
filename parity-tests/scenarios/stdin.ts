/**
 * `--stdin` (rules PRO-12 to PRO-14): events through a pipe that a parent process keeps open.
 */
import assert from 'node:assert/strict';
import { batchBody } from '@twin-ingest/testkit/codecs/codecs.ts';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import type { RunningServer, StartOptions } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import {
  type ResultLine,
  requireWhole,
  resultLines,
  resultsUpTo,
  resultTexts,
  sumsOf,
} from '../src/result-lines.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';
import { holdWriteLock } from '../src/write-lock.ts';

export const STDIN: ScenarioFile = {
  name: 'stdin',
  about: 'events from standard input',
  scenarios: [
    {
      name: 'both servers store the same lines and reject the same lines',
      rules: ['PRO-12', 'PRO-13', 'PRO-14', 'FMT-02', 'LAW'],
      uses: 'both',
      run: sameSums,
    },
    {
      name: 'a line that comes alone has its result at once',
      rules: ['PRO-12', 'PRO-13'],
      uses: 'each',
      run: oneByOne,
    },
    {
      name: 'a server that is killed loses no line with a result, and stores none twice',
      rules: ['PRO-13', 'STO-03', 'EVT-13'],
      uses: 'each',
      run: killed,
    },
    {
      name: 'SIGTERM stops the reading, and every event that is stored has its result',
      rules: ['PRO-14', 'PRO-07'],
      uses: 'each',
      run: stopped,
    },
    {
      name: 'a parent that reads no results holds up the lines alone',
      rules: ['PRO-12', 'PRO-13'],
      uses: 'each',
      run: heldOutput,
    },
    {
      name: 'a batch waits for room longer than a request does',
      rules: ['PRO-12', 'ING-10'],
      uses: 'each',
      waits: true,
      run: waitsForRoom,
    },
    {
      name: 'a batch that cannot be stored is a failure line, and the next one is stored',
      rules: ['PRO-13', 'STO-05'],
      uses: 'each',
      waits: true,
      run: notStored,
    },
    {
      name: 'frames have results in their order, and a broken body spoils no other frame',
      rules: ['PRO-12', 'PRO-13', 'FMT-03'],
      uses: 'both',
      run: frames,
    },
    {
      name: 'a frame that is cut or too long is a failure line and exit 76',
      rules: ['PRO-14'],
      uses: 'each',
      run: brokenFrames,
    },
    {
      name: 'results that cannot be written change nothing',
      rules: ['PRO-13', 'PRO-14'],
      uses: 'each',
      run: closedOutput,
    },
  ],
};

type Started = StartOptions & { target?: TargetName; db?: string };

function startWith(context: ScenarioContext, format: string, more: Started = {}): Promise<RunningServer> {
  const { flags = [], ...rest } = more;
  return context.start({ ...rest, flags: ['--stdin', format, ...flags], hasInput: true });
}

function lineOf(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(event(fields));
}

/** Ends the input and returns all results of a server that ends with 0. */
async function finish(server: RunningServer): Promise<ResultLine[]> {
  server.endInput();
  assert.deepEqual(await server.exited, { code: 0, signal: null }, server.stderr());
  return resultLines(server);
}

async function totalOf(context: ScenarioContext, server: RunningServer): Promise<number> {
  const stats = await context.client(server).get('/api/stats');
  return stats.json<{ total_events: number }>().total_events;
}

const MAX_BYTES = 2048;

/** Good lines, and every kind of bad one among them. The last line has no line feed. */
function mixedLines(): Buffer[] {
  const lines: Buffer[] = [];
  const add = (line: string | Buffer): void => void lines.push(Buffer.from(line as string));
  for (let index = 0; index < 3_000; index++) {
    add(`${lineOf({ event_id: `e${index % 2_900}`, metadata: { index } })}${index % 3 === 0 ? '\r' : ''}`);
    if (index % 100 === 7) add('');
    if (index % 100 === 11) add('{"session_id":');
    if (index % 100 === 13) add(Buffer.from([0x7b, 0xff, 0x7d]));
    if (index % 100 === 17) add('[]');
    if (index % 100 === 19) add(lineOf({ status: 'unknown' }));
    if (index % 1000 === 500) add(lineOf({ metadata: 'x'.repeat(2 << 20) }));
    if (index % 1000 === 501) add(lineOf({ metadata: 'x'.repeat(MAX_BYTES) }));
  }
  return lines;
}

async function sameSums(context: ScenarioContext): Promise<void> {
  const lines = mixedLines();
  const input = Buffer.concat(
    lines.map((line, at) => (at === 0 ? line : Buffer.from(`\n${line.toString('latin1')}`, 'latin1'))),
  );
  const found = [];
  for (const target of ['rs', 'ts'] as const) {
    const server = await startWith(context, 'ndjson', {
      target,
      db: context.db(target),
      flags: ['--max-body-bytes', `${MAX_BYTES}`, '--max-batch-events', '100'],
    });
    // In pieces that end anywhere.
    for (let at = 0; at < input.length; at += 70_001) server.input(input.subarray(at, at + 70_001));
    const results = await finish(server);
    requireWhole(results, lines.length);
    for (const { first_line: first, last_line: last } of results) assert.ok(last! - first! < 100);
    found.push(sumsOf(results));
    const next = await context.start({ target, db: context.db(target) });
    const page = await context.client(next).get('/api/events?order=asc&limit=1000');
    const rows = page.json<{ events: { event_id: string; metadata: unknown }[] }>().events;
    assert.deepEqual(
      rows.map((row) => [row.event_id, row.metadata]),
      rows.map((_, index) => [`e${index}`, { index }]),
    );
  }
  assert.deepEqual(found[0], found[1]);
  const { received, ids, duplicates, rejected } = found[0]!;
  assert.deepEqual(
    ids,
    Array.from({ length: 2_900 }, (_, index) => index + 1),
  );
  assert.deepEqual([received, duplicates, rejected.length], [2_900, 100, 3_000 / 25 + 6]);
  const problemAt = (line: string | Buffer): string => {
    const at = lines.findIndex((one) => one.equals(Buffer.from(line as string))) + 1;
    return rejected.find((one) => one.startsWith(`${at} `))!.replace(/^\d+ /, '');
  };
  assert.equal(problemAt('{"session_id":'), 'body: must be valid JSON');
  assert.equal(problemAt(Buffer.from([0x7b, 0xff, 0x7d])), 'body: must be valid JSON');
  assert.equal(problemAt('[]'), 'body: must be a JSON object');
  assert.equal(
    problemAt(lineOf({ metadata: 'x'.repeat(2 << 20) })),
    `body: must be at most ${MAX_BYTES} bytes`,
  );
}

async function oneByOne(context: ScenarioContext): Promise<void> {
  const server = await startWith(context, 'ndjson');
  for (let line = 1; line <= 20; line++) {
    server.input(`${lineOf({ event_id: `e${line}` })}\n`);
    await resultsUpTo(server, line);
  }
  // A line that has begun is no line yet.
  server.input('{');
  const client = context.client(server);
  assert.equal((await client.get('/api/events/20')).status, 200, 'a result comes after its commit');
  assert.equal(resultTexts(server).length, 20);
  assert.equal(
    resultTexts(server)[0],
    '{"event":"batch","first_line":1,"last_line":1,"received":1,"ids":[1],"duplicates":0,"rejected":[],"revision":"1"}',
  );
  server.input('}');
  const results = await finish(server);
  requireWhole(results, 21);
  assert.equal(results[20]!.rejected![0]!.line, 21, 'lines count from the beginning of the input');
}

async function killed(context: ScenarioContext): Promise<void> {
  const count = 40_000;
  const input = Array.from({ length: count }, (_, at) => `${lineOf({ event_id: `e${at}` })}\n`).join('');
  const server = await startWith(context, 'ndjson');
  server.input(input);
  await until(() => resultTexts(server).length >= 3, 'three results');
  await server.kill();
  const before = sumsOf(resultLines(server));
  assert.equal(before.duplicates, 0);
  const again = await startWith(context, 'ndjson', { target: context.other });
  const kept = await totalOf(context, again);
  assert.ok(
    kept >= before.received && kept < count,
    `${before.received} with a result, ${kept} of ${count} kept`,
  );
  for (const id of before.ids.filter((_, at) => at % 500 === 0)) {
    assert.equal((await context.client(again).get(`/api/events/${id}`)).status, 200);
  }
  again.input(input);
  const results = await finish(again);
  requireWhole(results, count);
  const { received, duplicates } = sumsOf(results);
  assert.deepEqual([received, duplicates], [count - kept, kept]);
  const last = await context.start();
  assert.equal(await totalOf(context, last), count);
  context.note(`${before.received} with a result, ${kept} stored at the kill`);
}

async function stopped(context: ScenarioContext): Promise<void> {
  const server = await startWith(context, 'ndjson');
  const lines = Array.from({ length: 2_000 }, () => `${lineOf({})}\n`).join('');
  for (let round = 0; round < 40; round++) server.input(lines);
  await until(() => resultTexts(server).length >= 3, 'three results');
  server.signal('SIGTERM');
  assert.deepEqual(await server.exited, { code: 0, signal: null }, server.stderr());
  const results = resultLines(server);
  requireWhole(results, results.at(-1)!.last_line!);
  const { received } = sumsOf(results);
  const next = await context.start();
  assert.equal(await totalOf(context, next), received);
}

async function heldOutput(context: ScenarioContext): Promise<void> {
  const server = await startWith(context, 'ndjson', { flags: ['--max-batch-events', '1000'] });
  const client = context.client(server);
  server.holdOutput();
  const count = 200_000;
  const input = `${'x'.repeat(15)}\n`.repeat(count);
  server.input(input);
  let unsent = -1;
  await until(async () => {
    const before = unsent;
    unsent = server.unsentInput();
    await new Promise((resolve) => setTimeout(resolve, 200));
    return unsent > 0 && unsent === before;
  }, 'the server to read no more');
  const begun = performance.now();
  assert.equal((await client.get('/api/stats')).status, 200);
  assert.equal((await client.post('/api/events', event())).status, 201);
  const { queue_events } = (await client.get('/api/health')).json<{ queue_events: number }>();
  assert.equal(queue_events, 0, 'batches without a line hold no room');
  assert.ok(performance.now() - begun < 2_000);
  server.readOutput();
  server.endInput();
  assert.deepEqual(await server.exited, { code: 0, signal: null }, server.stderr());
  const results = resultLines(server);
  requireWhole(results, count);
  assert.equal(sumsOf(results).rejected.length, count);
  const blocked = await startWith(context, 'ndjson', { flags: ['--max-batch-events', '1000'] });
  blocked.holdOutput();
  blocked.input(input);
  await until(() => blocked.unsentInput() > 0, 'input that waits');
  await new Promise((resolve) => setTimeout(resolve, 500));
  const asked = performance.now();
  blocked.signal('SIGTERM');
  // Its output is a pipe that is full, so `exited`, which waits for the end of the pipe, comes after this.
  await until(() => isGone(blocked.pid), 'the server to end', 8_000);
  assert.ok(performance.now() - asked < 5_500, 'a server whose lines nobody reads ends in time');
  blocked.readOutput();
  assert.deepEqual(await blocked.exited, { code: 0, signal: null }, blocked.stderr());
}

/** Whether a child has ended; until its exit is noticed it may be there as a process that is not reaped. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

async function waitsForRoom(context: ScenarioContext): Promise<void> {
  const server = await startWith(context, 'ndjson', {
    flags: ['--max-batch-events', '10', '--queue-events', '10'],
  });
  const client = context.client(server);
  await client.ingest([event()]);
  const lock = holdWriteLock(context.db());
  context.atEnd(() => lock.release());
  server.input(`${lineOf({})}\n`.repeat(200));
  // A request waits for room for 2 s (`admission_wait_ms`), the writer for its lock for 5 s.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  assert.deepEqual(resultTexts(server), []);
  lock.release();
  const results = await finish(server);
  requireWhole(results, 200);
  assert.equal(sumsOf(results).received, 200);
}

async function notStored(context: ScenarioContext): Promise<void> {
  const server = await startWith(context, 'ndjson');
  await context.client(server).ingest([event()]);
  const lock = holdWriteLock(context.db());
  context.atEnd(() => lock.release());
  server.input(`${lineOf({})}\n{}\n`);
  await resultsUpTo(server, 2);
  assert.deepEqual(resultTexts(server), [
    '{"event":"failure","first_line":1,"last_line":2,"error":"Storage is busy","code":"storage_busy"}',
  ]);
  lock.release();
  server.input(`${lineOf({})}\n`);
  const results = await finish(server);
  assert.deepEqual(results[1]!.ids, [2]);
  requireWhole(results, 3);
}

function frame(body: Uint8Array): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(body.length);
  return Buffer.concat([header, body]);
}

async function frames(context: ScenarioContext): Promise<void> {
  for (const format of ['msgpack', 'protobuf'] as const) {
    const batchOf = (count: number, from = 0): Buffer =>
      batchBody(
        format,
        Array.from({ length: count }, (_, at) => ({
          session_id: 's',
          agent_type: 'a',
          event_type: 'tool_use',
          event_id: `${format}${from + at}`,
        })),
      );
    const bodies = [
      batchOf(3),
      Buffer.alloc(0),
      batchOf(2, 2),
      Buffer.from([0xc1, 0xff]),
      batchOf(6),
      batchOf(1, 9),
    ];
    const input = Buffer.concat(bodies.map(frame));
    const found = [];
    for (const target of ['rs', 'ts'] as const) {
      const db = context.db(`${format}-${target}`);
      const server = await startWith(context, format, { target, db, flags: ['--max-batch-events', '5'] });
      // The first frame is cut within its length, and the second begins in the same piece as the first ends.
      server.input(input.subarray(0, 2));
      await new Promise((resolve) => setTimeout(resolve, 50));
      server.input(input.subarray(2));
      await finish(server);
      found.push(resultTexts(server).map((text) => text.replace(/"revision":"\d+"/, '"revision":"N"')));
    }
    assert.deepEqual(found[0], found[1], format);
    const lines = found[0]!.map(
      (text) => JSON.parse(text) as ResultLine & { reason?: string; actual?: number },
    );
    assert.deepEqual(
      lines.map((line) => line.frame),
      [1, 2, 3, 4, 5, 6],
    );
    assert.deepEqual(lines[0]!.ids, [1, 2, 3]);
    assert.deepEqual([lines[2]!.ids, lines[2]!.duplicates], [[4], 1]);
    assert.deepEqual([lines[3]!.event, lines[3]!.code], ['failure', `invalid_${format}`]);
    assert.deepEqual([lines[4]!.code, lines[4]!.actual], ['batch_too_large', 6]);
    assert.deepEqual(lines[5]!.ids, [5]);
    if (format === 'protobuf') assert.deepEqual([lines[1]!.received, lines[1]!.ids], [0, []]);
    else assert.deepEqual([lines[1]!.code, lines[1]!.reason], ['invalid_msgpack', 'ends too early']);
  }
}

async function brokenFrames(context: ScenarioContext): Promise<void> {
  const good = frame(batchBody('protobuf', [{ session_id: 's', agent_type: 'a', event_type: 'tool_use' }]));
  const cut = '"error":"Bad request","code":"bad_request"}';
  const tooLarge = (actual: number): string =>
    `"error":"Request body is too large","code":"payload_too_large","limit":1024,"actual":${actual}}`;
  const ends: [bytes: Buffer, failure: string][] = [
    [Buffer.from([0]), cut],
    [Buffer.from([0, 0, 0, 9]), cut],
    [good.subarray(0, good.length - 1), cut],
    [Buffer.from([0, 0, 4, 1]), tooLarge(1025)],
    [Buffer.from([0xff, 0xff, 0xff, 0xff, ...good]), tooLarge(0xffff_ffff)],
  ];
  for (const [index, [bytes, failure]] of ends.entries()) {
    const server = await startWith(context, 'protobuf', {
      db: context.db(`${index}.db`),
      flags: ['--max-body-bytes', '1024'],
    });
    server.input(Buffer.concat([good, good, bytes]));
    // A length that is too large needs no end.
    if (failure === cut) server.endInput();
    assert.deepEqual(await server.exited, { code: 76, signal: null }, server.stderr());
    const texts = resultTexts(server);
    assert.equal(texts.length, 3);
    assert.equal(texts[2], `{"event":"failure","frame":3,${failure}`);
    assert.deepEqual(sumsOf(resultLines(server)).ids, [1, 2]);
    const next = await context.start({ db: context.db(`${index}.db`) });
    assert.equal(await totalOf(context, next), 2);
    await next.kill();
  }
}

async function closedOutput(context: ScenarioContext): Promise<void> {
  // The reader of the results leaves after the ready line.
  const server = await startWith(context, 'ndjson', {
    wrapper: ['sh', '-c', '"$@" | { head -n 1; }', 'sh'],
  });
  server.input(`${lineOf({})}\n`.repeat(5_000));
  await until(async () => (await totalOf(context, server)) === 5_000, 'the events');
  server.endInput();
  await server.exited;
  const next = await context.start();
  assert.equal(await totalOf(context, next), 5_000);
}
