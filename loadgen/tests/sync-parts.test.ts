/** Tests the pure functions of `bench:sync`: counts, values of goals, and the path of a result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SyncOptions } from '@twin-ingest/client';
import { cpuBetween, threadTimes } from '../src/observe/thread-times.ts';
import { parseSuite } from '../src/plan/suite-options.ts';
import { placeOf } from '../src/run/suite-run.ts';
import { SYNC as USAGE } from '../src/sync/command.ts';
import { type Keep, overFaultyTransport } from '../src/sync/faulty-transport.ts';
import { outcomeOf, SWAPPED, SYNC_GOALS } from '../src/sync/goals.ts';
import { lastRevision, unreadIn } from '../src/sync/invalidation-client.ts';
import { Journal, waitsOf } from '../src/sync/journal.ts';
import { eventText } from '../src/sync/posting.ts';
import { figuresOf, SCENARIO_NAMES, type SyncResult, type SyncRow } from '../src/sync/result.ts';
import { rateOf } from '../src/sync/scenarios/bursts.ts';
import { sampleSync } from './sync-sample.ts';

const SYNC = sampleSync();
const OUT_OF_SYNC = { code: 'out_of_sync' };

test('the journal counts an older state of an epoch, and nothing else, as a violation', () => {
  const journal = new Journal();
  for (const [epoch, revision] of ['a 9', 'a 10', 'a 10', 'b 3', 'a 1'].map((state) => state.split(' ')))
    journal.note(epoch!, revision!);
  assert.deepEqual([journal.violations, journal.applies, journal.newest], [0, 5, 1n]);
  journal.check();
  journal.note('a', '18446744073709551615');
  journal.note('a', '18446744073709551614');
  assert.equal(journal.violations, 1);
  assert.throws(() => journal.check(), OUT_OF_SYNC);
});

test('a state is reached by a newer one, before or after it is waited for, and missed after the patience', async () => {
  const journal = new Journal();
  journal.note('a', '5', 100);
  journal.note('a', '8', 200);
  assert.equal(await journal.reached(6n, 1), 200);
  assert.deepEqual(
    [journal.firstAbove(4n), journal.firstAbove(5n), journal.firstAbove(8n)],
    [100, 200, undefined],
  );
  const waiting = journal.reached(9n, 5000);
  journal.note('a', '12', 300);
  assert.equal(await waiting, 300);
  journal.clear();
  await assert.rejects(journal.reached(13n, 1), OUT_OF_SYNC);
});

test('a wait counts from the acknowledgement to a revision at least as new, and never below nothing', () => {
  const answers = [
    { from_ms: 0, answered_ms: 20, revision: '4' },
    { from_ms: 0, answered_ms: 10, revision: '2' },
    { from_ms: 0, answered_ms: 30, revision: '9' },
  ];
  assert.deepEqual(waitsOf(answers, { heard_ms: [15, 18], heard: [3, 8] }), [5, 0, null]);
  assert.deepEqual(waitsOf(answers, { heard_ms: [110], heard: [9] }), [100, 90, 80]);
  assert.deepEqual(waitsOf(answers, { heard_ms: [], heard: [] }), [null, null, null]);
});

test('the time of a process is that of its threads, those that have come since and not those that are gone', () => {
  const before = new Map(Object.entries({ 1: 5e6, 2: 9e6 }));
  const after = new Map(Object.entries({ 1: 7e6, 3: 0.5e6 }));
  assert.equal(cpuBetween(before, after), 2.5);
  assert.equal(cpuBetween(before, before), 0);
  assert.deepEqual([cpuBetween(null, after), cpuBetween(before, null)], [null, null]);
});

const noThreads = process.platform !== 'linux' && 'threads are counted on Linux alone';

test('what this process takes of the cores is seen', { skip: noThreads }, async () => {
  const before = await threadTimes(process.pid);
  const from = process.cpuUsage();
  const used = () => {
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1000;
  };
  while (used() < 100);
  const found = cpuBetween(before, await threadTimes(process.pid))!;
  // The scheduler updates the time of a running thread at every tick, at least every 10 ms.
  assert.ok(found > 85, `${found} ms`);
  assert.equal(await threadTimes(2 ** 22 + 1), null);
});

test('the last revision of whole frames counts', () => {
  const frame = (revision: number) =>
    `event: invalidate\ndata: {"topic":"events","revision":"${revision}"}\n\n`;
  const bytes = Buffer.from(`${frame(7)}${frame(19)}${frame(23)}`);
  assert.equal(lastRevision(bytes, bytes.length), 23);
  assert.equal(lastRevision(bytes, bytes.length - frame(23).length), 19);
  assert.equal(lastRevision(Buffer.from(': heartbeat\n\n'), 13), null);
});

test('what the kernel holds is what one side sent and what the other has not read', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr',
    '   0: 0100007F:1F90 0100007F:C001 01 00000010:00000000 00',
    '   1: 0100007F:C001 0100007F:1F90 01 00000000:00000200 00',
    '   2: 0100007F:1F90 0100007F:C002 01 00000FFF:00000000 00',
  ].join('\n');
  assert.equal(unreadIn(table, 0x1f90, 0xc001), 0x210);
  assert.equal(unreadIn(table, 0x1f90, 0xc003), 0);
});

test('rates and events', () => {
  assert.equal(rateOf([0, 100, 200, 300]), 10);
  assert.deepEqual([rateOf([]), rateOf([5])], [0, 0]);
  const shape = { seed: 1, metadata_bytes: 50, sessions: 3 };
  const event = JSON.parse(eventText(shape, 7)) as Record<string, unknown>;
  assert.equal(JSON.stringify(event.metadata).length, 50);
  assert.equal(event.session_id, 'bench-1');
  assert.notEqual(event.event_id, (JSON.parse(eventText(shape, 8)) as typeof event).event_id);
  assert.throws(() => figuresOf([{ events: Number.NaN }]), RangeError);
});

test('over a transport that fails the shipped client stays in sync, and the same seed gives the same', async () => {
  const first = await overFaultyTransport(7, 3000);
  assert.ok(first.checked >= 3000 && first.applies > 100 && first.violations === 0);
  assert.deepEqual(await overFaultyTransport(7, 3000), first);
});

/** A faulty client that fetches after every invalidation, and applies every snapshot. */
const careless: Keep = ({ subscribe, fetch, apply }: SyncOptions<null>) => {
  const end = new AbortController();
  const pull = async () => {
    const snapshot = await fetch(null, end.signal);
    if (snapshot !== null) await apply(snapshot, false);
  };
  return {
    start: async () => void (await subscribe(() => void pull().catch(() => undefined), end.signal)),
    stop: () => end.abort(),
  };
};

/** A faulty client that fetches only once. */
const lazy: Keep = ({ fetch, apply }) => ({
  start: async () => apply((await fetch(null, new AbortController().signal))!, true),
  stop: () => undefined,
});

test('over the same transport a client that is wrong is caught', async () => {
  await assert.rejects(overFaultyTransport(7, 3000, careless), OUT_OF_SYNC);
  await assert.rejects(overFaultyTransport(7, 3000, lazy), OUT_OF_SYNC);
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

test('an older state after a swap counts; with too few applies or without a swap nothing is reached', () => {
  const goal = SYNC_GOALS.find(({ title }) => title.startsWith('older states'))!;
  const of = (rows: SyncResult['rows']) => outcomeOf(goal, { ...SYNC, rows }, 'ts');
  const isSwap = ({ parameters: { how, swaps } }: SyncRow) => how === SWAPPED || swaps !== undefined;
  const withFigures = (changed: (row: SyncRow) => boolean, figures: SyncRow['figures']) =>
    SYNC.rows.map((row) => (changed(row) ? { ...row, figures } : row));
  const swaps = SYNC.rows.filter((row) => row.server === 'ts' && isSwap(row));
  assert.deepEqual(
    swaps.map(({ scenario }) => scenario),
    ['restart', 'monotony'],
  );
  for (const swap of swaps) {
    const wrong = of(withFigures((row) => row === swap, figuresOf([{ violations: 1, checked: 40 }])));
    assert.deepEqual([wrong.value, wrong.isReached], [1, false]);
    assert.equal(of(SYNC.rows.filter((row) => row !== swap)).isReached, true);
  }
  assert.equal(of(SYNC.rows.filter((row) => !isSwap(row))).isReached, undefined);
  const few = withFigures(({ scenario }) => scenario === 'monotony', figuresOf([{ violations: 0 }]));
  assert.equal(of(few).isReached, undefined);
});

test('only a whole run on committed sources goes to the committed result', () => {
  const clean = SYNC.environment;
  const placeIn = (argv: readonly string[], environment: typeof clean) => {
    const parsed = parseSuite(USAGE, argv);
    assert.ok(parsed.kind === 'run');
    return placeOf({ name: 'sync', options: parsed.options, scenarios: SCENARIO_NAMES }, environment);
  };
  assert.match(placeIn([], clean).file, /\/docs\/suites\/sync\.json$/);
  for (const [argv, environment] of [
    [['--quick'], clean],
    [['--all'], clean],
    [['--only=rs'], clean],
    [['--scenarios=page'], clean],
    [['--no-build'], clean],
    [[], { ...clean, dirty: true }],
    [[], { ...clean, commit: null, dirty: null }],
  ] as const) {
    const place = placeIn(argv, environment);
    assert.match(place.file, /\/\.bench\/sync\.json$/);
    assert.equal(place.reasons.length, 1);
  }
});

test('an unknown scenario is a problem', () => {
  const parsed = parseSuite(USAGE, ['--scenarios=bursts,other']);
  assert.ok(parsed.kind === 'invalid');
  assert.match(parsed.problems.join(), /^--scenarios knows round_trip, .*, not other$/);
});
