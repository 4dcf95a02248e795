/** Tests `--stdin` (rules PRO-12 to PRO-14): events through a pipe that a parent process keeps open. */
import assert from 'node:assert/strict';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { requireWhole, resultLines, resultsUpTo, resultTexts, sumsOf } from '../src/result-lines.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';
import { finishInput, lineOf, startWithInput, totalOf } from '../src/server-input.ts';
import { holdWriteLock } from '../src/write-lock.ts';

export const STDIN: ScenarioFile = {
  name: 'stdin',
  about: 'events from standard input',
  scenarios: [
    {
      name: 'a single line has its result at once',
      rules: ['PRO-12', 'PRO-13'],
      uses: 'each',
      run: oneByOne,
    },
    {
      name: 'a killed server loses no line with a result, and stores none twice',
      rules: ['PRO-13', 'STO-03', 'EVT-13'],
      uses: 'each',
      run: killed,
    },
    {
      name: 'SIGTERM stops reading, and every stored event has its result',
      rules: ['PRO-14', 'PRO-07'],
      uses: 'each',
      run: stopped,
    },
    {
      name: 'a parent that reads no results delays only the lines',
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
      name: 'results that cannot be written do not affect the server',
      rules: ['PRO-13', 'PRO-14'],
      uses: 'each',
      run: closedOutput,
    },
  ],
};

async function oneByOne(context: ScenarioContext): Promise<void> {
  const server = await startWithInput(context, 'ndjson');
  for (let line = 1; line <= 20; line++) {
    server.input(`${lineOf({ event_id: `e${line}` })}\n`);
    await resultsUpTo(server, line);
  }
  // The server must not treat an incomplete line as a line.
  server.input('{');
  const client = context.client(server);
  assert.equal((await client.get('/api/events/20')).status, 200, 'a result comes after its commit');
  assert.equal(resultTexts(server).length, 20);
  assert.equal(
    resultTexts(server)[0],
    '{"event":"batch","first_line":1,"last_line":1,"received":1,"ids":[1],"duplicates":0,"rejected":[],"revision":"1"}',
  );
  server.input('}');
  const results = await finishInput(server);
  requireWhole(results, 21);
  assert.equal(results[20]!.rejected![0]!.line, 21, 'lines count from the beginning of the input');
}

async function killed(context: ScenarioContext): Promise<void> {
  const count = 40_000;
  const input = Array.from({ length: count }, (_, at) => `${lineOf({ event_id: `e${at}` })}\n`).join('');
  const server = await startWithInput(context, 'ndjson');
  server.input(input);
  await until(() => resultTexts(server).length >= 3, 'three results');
  await server.kill();
  const before = sumsOf(resultLines(server));
  assert.equal(before.duplicates, 0);
  const again = await startWithInput(context, 'ndjson', { target: context.other });
  const kept = await totalOf(context, again);
  assert.ok(
    kept >= before.received && kept < count,
    `${before.received} with a result, ${kept} of ${count} kept`,
  );
  for (const id of before.ids.filter((_, at) => at % 500 === 0)) {
    assert.equal((await context.client(again).get(`/api/events/${id}`)).status, 200);
  }
  again.input(input);
  const results = await finishInput(again);
  requireWhole(results, count);
  const { received, duplicates } = sumsOf(results);
  assert.deepEqual([received, duplicates], [count - kept, kept]);
  const last = await context.start();
  assert.equal(await totalOf(context, last), count);
  context.note(`${before.received} with a result, ${kept} stored at the kill`);
}

async function stopped(context: ScenarioContext): Promise<void> {
  const server = await startWithInput(context, 'ndjson');
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
  const server = await startWithInput(context, 'ndjson', { flags: ['--max-batch-events', '1000'] });
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
  const blocked = await startWithInput(context, 'ndjson', { flags: ['--max-batch-events', '1000'] });
  blocked.holdOutput();
  blocked.input(input);
  await until(() => blocked.unsentInput() > 0, 'input that waits');
  await new Promise((resolve) => setTimeout(resolve, 500));
  const asked = performance.now();
  blocked.signal('SIGTERM');
  // The server's output pipe is full. `exited` waits for the end of the pipe, so it resolves later.
  await until(() => isGone(blocked.pid), 'the server to end', 8_000);
  assert.ok(performance.now() - asked < 5_500, 'a server with unread lines ends in time');
  blocked.readOutput();
  assert.deepEqual(await blocked.exited, { code: 0, signal: null }, blocked.stderr());
}

/** Returns whether a child has ended. Before its parent reaps it, it still exists as a zombie. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

async function waitsForRoom(context: ScenarioContext): Promise<void> {
  const server = await startWithInput(context, 'ndjson', {
    flags: ['--max-batch-events', '10', '--queue-events', '10'],
  });
  const client = context.client(server);
  await client.ingest([event()]);
  const lock = holdWriteLock(context.db());
  context.atEnd(() => lock.release());
  server.input(`${lineOf({})}\n`.repeat(200));
  // A request waits at most 2 s for room (`admission_wait_ms`); the writer waits 5 s for its lock.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  assert.deepEqual(resultTexts(server), []);
  lock.release();
  const results = await finishInput(server);
  requireWhole(results, 200);
  assert.equal(sumsOf(results).received, 200);
}

async function notStored(context: ScenarioContext): Promise<void> {
  const server = await startWithInput(context, 'ndjson');
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
  const results = await finishInput(server);
  assert.deepEqual(results[1]!.ids, [2]);
  requireWhole(results, 3);
}

async function closedOutput(context: ScenarioContext): Promise<void> {
  // The program that reads the results exits after the ready line.
  const server = await startWithInput(context, 'ndjson', {
    wrapper: ['sh', '-c', '"$@" | { head -n 1; }', 'sh'],
  });
  server.input(`${lineOf({})}\n`.repeat(5_000));
  await until(async () => (await totalOf(context, server)) === 5_000, 'the events');
  server.endInput();
  await server.exited;
  const next = await context.start();
  assert.equal(await totalOf(context, next), 5_000);
}
