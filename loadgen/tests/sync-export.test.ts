/** Tests the reports of the sync suite: the Markdown document and the terminal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYNC_GOALS } from '../src/sync/goals.ts';
import { syncDocument, syncGoalTable, syncTerminal } from '../src/sync/report.ts';
import type { SyncResult } from '../src/sync/result.ts';
import { HOSTILE } from './report-fixture.ts';
import { sampleSync } from './sync-sample.ts';

const SYNC = sampleSync();

const alone: SyncResult = {
  ...SYNC,
  servers: { ts: SYNC.servers.ts! },
  rows: SYNC.rows.filter(({ server }) => server === 'ts'),
};

for (const [shape, sync] of [
  ['a whole part', SYNC],
  ['one server alone', alone],
  ['a quick run without rows', { ...SYNC, quick: true, rows: [] }],
] as const) {
  test(`terminal and document show ${shape} without a gap`, () => {
    for (const write of [syncTerminal, syncDocument]) {
      const text = write(sync);
      assert.doesNotMatch(text, /undefined|NaN|Infinity|\[object|\bnull\b/);
      assert.match(text, /commit c0ffee/);
    }
  });
}

test('a goal that is missed says so, one that was not measured too', () => {
  const verdicts = (sync: SyncResult) => syncGoalTable(sync).rows.map((row) => [row[3], row[6]]);
  assert.equal(syncGoalTable(SYNC).rows.length, SYNC_GOALS.length);
  const found = verdicts(SYNC).flat();
  assert.ok(found.includes('reached') && found.includes('missed'), found.join());
  assert.deepEqual([...new Set(verdicts({ ...SYNC, rows: [] }).flat())], ['not measured']);
});

test('text of the part is shown as text', () => {
  const hostile: SyncResult = {
    ...SYNC,
    environment: { ...SYNC.environment, cpu_model: HOSTILE },
    skipped: [{ scenario: 'page', server: 'rs', reason: HOSTILE }],
    warnings: [{ code: 'wide_spread', message: HOSTILE, limits: HOSTILE, advice: HOSTILE, scenario: null }],
  };
  const text = syncDocument(hostile).replaceAll(/```[\s\S]*?```/g, '');
  assert.doesNotMatch(text, /<img/);
  assert.match(text, /&lt;img/);
});
