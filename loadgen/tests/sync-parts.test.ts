/** Tests the parts of `bench:sync`: what it counts and posts, the values of goals, and its reports. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuBetween, threadTimes } from '../src/observe/probe.ts';
import { outcomeOf, SYNC_GOALS } from '../src/sync/goals.ts';
import { Journal, waitFor } from '../src/sync/journal.ts';
import { eventText } from '../src/sync/posting.ts';
import { syncDocument, syncGoalTable, syncTerminal } from '../src/sync/report.ts';
import type { SyncResult } from '../src/sync/result.ts';
import { rateOf } from '../src/sync/scenarios/bursts.ts';
import { postBySender } from '../src/sync/scenarios/round-trips.ts';
import { listen } from './listening-server.ts';
import { HOSTILE } from './report-fixture.ts';
import { sampleSync } from './sync-sample.ts';

const SYNC = sampleSync();
const OUT_OF_SYNC = { code: 'out_of_sync' };

test('the journal counts an older state of an epoch, and nothing else, as a violation', () => {
  const journal = new Journal();
  for (const state of ['a 9', 'a 10', 'a 10', 'b 3', 'a 1', 'a 4']) {
    const [epoch, revision] = state.split(' ');
    journal.note(epoch!, revision!);
  }
  const { violations, applies } = journal.figures();
  assert.deepEqual([violations, applies, journal.newest], [0, 6, 4]);
  journal.check();
  assert.throws(() => journal.note('a', '18446744073709551615'), RangeError);
  journal.note('a', '3');
  assert.equal(journal.figures().violations, 1);
  assert.throws(() => journal.check(), OUT_OF_SYNC);
});

test('a state is reached by a newer one, before or after it is waited for, and missed after the patience', async () => {
  const journal = new Journal();
  journal.note('a', '5', 100);
  journal.note('a', '8', 200);
  assert.equal(await journal.reached(6), 200);
  const waiting = journal.reached(9);
  journal.note('a', '12', 300);
  assert.equal(await waiting, 300);
  journal.clear();
  await assert.rejects(journal.reached(12, 1), OUT_OF_SYNC);
});

test('a wait counts from the acknowledgement to a revision at least as new, and is never negative', () => {
  const wait = (revision: number, answered_ms: number) =>
    waitFor({ from_ms: 0, answered_ms, revision }, [
      { revision: 3, at_ms: 15 },
      { revision: 8, at_ms: 18 },
    ]);
  assert.deepEqual([wait(2, 10), wait(4, 10), wait(4, 20)], [5, 8, 0]);
});

test('the time of a process is that of its threads', { skip: process.platform !== 'linux' }, async () => {
  const times = (all: object) => new Map<string, number>(Object.entries(all));
  const found = cpuBetween(times({ 1: 5e6, 2: 9e6 }), times({ 1: 7e6, 3: 0.5e6 }));
  assert.equal(found, 2.5, 'with new threads, without those that are gone');
  const own = await threadTimes(process.pid);
  const from = process.cpuUsage();
  while (process.cpuUsage(from).user < 100_000);
  const used = cpuBetween(own, await threadTimes(process.pid))!;
  // The scheduler updates the time of a running thread at every tick, at least every 10 ms.
  assert.ok(used > 85, `${used} ms`);
});

test('a rate counts gaps', () => {
  assert.deepEqual([rateOf([0, 100, 200, 300]), rateOf([5])], [10, 0]);
});

const TAKEN = { revision: '41', received: 1, duplicates: 0, rejected: [] };
const ANSWERS = [
  [201, TAKEN],
  [503, { error: { code: 'overloaded', message: 'later' } }],
  [200, { ...TAKEN, received: 0, rejected: [{ index: 0, errors: ['no such event'] }] }],
] as const;

test('the client’s Sender posts an event once, when it is called, and fails if the server refuses it', async () => {
  const server = await listen((number, response) => {
    const [status, answer] = ANSWERS[number - 1]!;
    const text = JSON.stringify(answer);
    response.writeHead(status, { 'Content-Length': text.length, 'Retry-After': '0' }).end(text);
  });
  const open = () => postBySender(Number(new URL(server.url).port))(eventText(1, 0));
  const send = open();
  assert.deepEqual(server.paths, []);
  assert.equal(await send(), 41);
  assert.ok(server.bodies[0]!.includes(eventText(1, 0)));
  await assert.rejects(open(), { code: 'generator_failed', message: /503/ });
  await assert.rejects(open(), /no such event/);
});

test('every goal is measured in a whole result, and turns with the figures', () => {
  for (const goal of SYNC_GOALS) {
    for (const server of ['rs', 'ts'] as const) {
      const { value } = outcomeOf(goal, SYNC, server);
      assert.ok(value !== undefined, goal.title);
      const isReached = (most: number, rows = SYNC.rows) =>
        outcomeOf({ ...goal, most: { rs: most, ts: most } }, { ...SYNC, rows }, server).isReached;
      const found = [isReached(value), isReached(value / 2 - 1), isReached(value, [])];
      assert.deepEqual(found, [true, false, undefined], goal.title);
    }
  }
});

test('terminal and document show every result without a gap, each verdict, and text as text', () => {
  const { ts } = SYNC.servers;
  const alone = { ...SYNC, servers: { ts: ts! }, rows: SYNC.rows.filter(({ server }) => server === 'ts') };
  const none = { ...SYNC, quick: true, rows: [] };
  const skipped = [{ scenario: 'page', server: 'rs', reason: HOSTILE }] as const;
  const warnings = SYNC.warnings.map((warning) => ({ ...warning, message: HOSTILE, advice: HOSTILE }));
  const hostile = { ...SYNC, skipped, warnings };
  assert.match(syncDocument(hostile), /&lt;img/);
  for (const sync of [SYNC, alone, none, hostile]) {
    const document = syncDocument(sync);
    assert.doesNotMatch(document, /<img/);
    for (const text of [syncTerminal(sync), document]) {
      assert.doesNotMatch(text, /undefined|NaN|Infinity|\[object|\bnull\b/);
      assert.match(text, /commit c0ffee/);
    }
  }
  const verdicts = (sync: SyncResult) => new Set(syncGoalTable(sync).rows.flatMap((row) => [row[3], row[6]]));
  assert.deepEqual(verdicts(SYNC), new Set(['missed', 'reached']));
  assert.deepEqual(verdicts(none), new Set(['not measured']));
});
