/** Tests the write-ahead log: checkpoints in the server's log, and a reader that holds the log (rule STO-04). */
import assert from 'node:assert/strict';
import { readFileSync, statSync, truncateSync } from 'node:fs';
import { type ApiClient, event, type Ingested } from '@twin-ingest/testkit/http/api-client.ts';
import Database from 'better-sqlite3';
import { linesOf, runCommand } from '../src/command-line.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const LOG: ScenarioFile = {
  name: 'log',
  about: 'the write-ahead log',
  scenarios: [
    {
      name: 'the writer leaves long checkpoints to the other thread',
      rules: ['STO-04'],
      uses: 'each',
      run: checkpoints,
    },
    {
      name: 'a reader that holds the log delays no group for long, and ends in 503',
      rules: ['STO-04', 'STO-05'],
      uses: 'each',
      faults: ['F10'],
      run: heldLog,
    },
    {
      name: 'a start reports a log that was cut',
      rules: ['STO-12', 'BAK-06'],
      uses: 'each',
      faults: ['F11'],
      run: cutLog,
    },
  ],
};

const MIB = 1 << 20;
const WAITED_FROM_BYTES = 256 * MIB;
const REFUSED_FROM_BYTES = 512 * MIB;
/** Busy time-out of every connection. A server that waits for the reader would wait this long in each group. */
const BUSY_TIMEOUT_MS = 5_000;
const BATCH_EVENTS = 700;
/** Events in a small batch: 100 kB. All batches have 120 MB in total. */
const SMALL_BATCH_EVENTS = 10;
/** The writer itself may copy at most one eighth of the log. */
const WRITERS_SHARE = 8;
const SENDERS = 4;
const BATCHES = 300;
/** Slightly smaller than the limit of metadata. */
const METADATA = { text: 'x'.repeat(10_000) };

interface Checkpoint {
  readonly thread: string;
  readonly mode: string;
  readonly pages: number;
  readonly moved: number;
}

async function checkpoints(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--log-level', 'debug'] });
  const client = context.client(server);
  // Several senders keep the writer busy, so that the log is never copied completely.
  await Promise.all(
    Array.from({ length: SENDERS }, async () => {
      for (let batch = 0; batch < BATCHES; batch++) await ingest(client, SMALL_BATCH_EVENTS);
    }),
  );
  await server.stop();
  const lines = server.stderr().split('\n').filter(Boolean);
  const found = lines.map((line) => JSON.parse(line) as Record<string, unknown>).flatMap(checkpointOf);
  const passes = found.filter(({ mode }) => mode === 'PASSIVE');
  const byThread = passes.filter(({ thread }) => thread === 'checkpointer');
  assert.ok(byThread.length >= 10, `${byThread.length} checkpoints next to the writer`);
  for (const pass of passes.filter(({ thread }) => thread === 'writer')) {
    assert.ok(
      pass.moved * WRITERS_SHARE <= pass.pages,
      `the writer copied too much: ${JSON.stringify(pass)}`,
    );
  }
  assert.equal(found.at(-1)?.mode, 'TRUNCATE', 'a clean stop leaves no log behind');
  const moved = (of: readonly Checkpoint[]): number => of.reduce((sum, pass) => sum + pass.moved, 0);
  const share = (100 * (moved(passes) - moved(byThread))) / moved(passes);
  context.note(`${passes.length} passes; the writer copied ${share.toFixed(1)} % of the pages`);
}

/** Reads a log line of either server: pino has its fields at the top, tracing in a nested object. */
function checkpointOf(line: Record<string, unknown>): Checkpoint[] {
  const fields = (line.fields ?? line) as Record<string, unknown>;
  const isCheckpoint = fields.message === 'checkpoint' || fields.msg === 'checkpoint';
  return isCheckpoint ? [fields as unknown as Checkpoint] : [];
}

async function heldLog(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await ingest(client);
  const reader = new Database(context.db(), { readonly: true });
  context.atEnd(() => reader.close());
  reader.exec('BEGIN');
  assert.equal(reader.prepare('SELECT count(*) FROM events').pluck().get(), BATCH_EVENTS);
  let stored = BATCH_EVENTS;
  let slowestMs = 0;
  let refused: Answer | undefined;
  const isPastBound = (): boolean => statSync(`${context.db()}-wal`).size > REFUSED_FROM_BYTES + 64 * MIB;
  while (refused === undefined) {
    assert.ok(!isPastBound(), 'the log is bounded');
    const answer = await ingest(client);
    slowestMs = Math.max(slowestMs, answer.ms);
    if (answer.status === 201) stored += BATCH_EVENTS;
    else refused = answer;
  }
  assert.deepEqual([refused.status, refused.code], [503, 'storage_busy']);
  assert.ok(statSync(`${context.db()}-wal`).size > WAITED_FROM_BYTES, 'the log grew past the first bound');
  assert.ok(slowestMs < BUSY_TIMEOUT_MS / 2, `the slowest answer took ${slowestMs} ms`);
  const again = await ingest(client, 1);
  assert.equal(again.status, 503);
  assert.ok(again.ms < BUSY_TIMEOUT_MS / 2, `a refusal took ${again.ms} ms`);
  assert.equal((await client.get('/api/stats')).status, 200, 'reads go on');

  reader.exec('COMMIT');
  await until(async () => (await ingest(client, 1)).status === 201, 'writes go on');
  stored += 1;
  await server.stop();
  const db = new Database(context.db(), { readonly: true });
  assert.equal(db.prepare('SELECT count(*) FROM events').pluck().get(), stored);
  db.close();
  context.note(`the slowest answer took ${slowestMs.toFixed(0)} ms`);
}

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly ms: number;
}

async function ingest(client: ApiClient, count = BATCH_EVENTS): Promise<Answer> {
  const begun = performance.now();
  const events = Array.from({ length: count }, () => event({ metadata: METADATA }));
  const reply = await client.post('/api/events/batch', { events });
  const { code } = reply.json<Ingested & { code?: string }>();
  return { status: reply.status, code, ms: performance.now() - begun };
}

async function cutLog(context: ScenarioContext): Promise<void> {
  const before = await context.start();
  const client = context.client(before);
  for (let batch = 0; batch < 3; batch++) await ingest(client, 1);
  await before.kill();
  const log = `${context.db()}-wal`;
  const whole = statSync(log).size;
  const same = await context.start();
  assert.deepEqual(lostIn(same.stderr()), [], 'a whole log');
  for (let batch = 0; batch < 3; batch++) await ingest(context.client(same), 1);
  await same.kill();
  assert.ok(whole > 0);
  truncateSync(log, statSync(log).size - 100);
  const [cut, database] = [readFileSync(log), readFileSync(context.db())];
  const verified = await runCommand(context.target, ['verify', context.db()], { cwd: context.folder });
  assert.equal(verified.exit, 0, verified.stderr);
  assert.equal(linesOf(verified).at(-1)!.events, 5);
  assert.ok(
    cut.equals(readFileSync(log)) && database.equals(readFileSync(context.db())),
    'verify changes nothing',
  );
  const after = await context.start();
  const [lost] = lostIn(after.stderr());
  assert.ok(lost !== undefined && lost > 0, 'the frames of the last transaction');
  const { events } = (await context.client(after).get('/api/events')).json<{ events: unknown[] }>();
  assert.equal(events.length, 5);
  await after.stop();
  const clean = await context.start();
  assert.deepEqual(lostIn(clean.stderr()), [], 'no log after a clean stop');
}

/** Returns the numbers of frames that a start reported. */
function lostIn(stderr: string): number[] {
  return stderr
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { level: string; message: string; frames?: number })
    .filter(({ message }) => message === 'the write-ahead log ends with an incomplete transaction')
    .map(({ level, frames }) => {
      assert.equal(level, 'WARN');
      return frames!;
    });
}
