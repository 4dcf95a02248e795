/**
 * Runs every scenario of `bench:sync` on the real servers. It belongs to `pnpm test:perf`, because its waits depend on
 * the machine.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { violations } from '../src/result/json.ts';
import { rowsWhere } from '../src/result/suite-rows.ts';
import { SCENARIO_NAMES, type SyncResult } from '../src/sync/result.ts';
import { runProgram } from './run-program.ts';
import { folder } from './scratch.ts';

const REAL = fileURLToPath(new URL('../src/cli/sync.ts', import.meta.url));

/** The dashboard has its own tests, and only this scenario needs a browser. */
const scenarios = SCENARIO_NAMES.filter((name) => name !== 'page');

test('every scenario of the real servers, quick', async () => {
  const out = join(folder, 'sync.json');
  const argv = ['--quick', '--no-build', `--scenarios=${scenarios}`, `--out=${out}`];
  const done = await runProgram({ main: REAL, argv });
  assert.equal(done.code, 0, done.stderr);
  assert.deepEqual(done.left, []);
  const sync = JSON.parse(readFileSync(out, 'utf8')) as SyncResult;
  assert.deepEqual(await violations(sync, '#/$defs/sync'), []);
  for (const name of TARGET_NAMES) {
    for (const scenario of scenarios) assert.ok(rowsWhere(sync, scenario, name).length > 0, scenario);
    assert.equal(rowsWhere(sync, 'restart', name, { how: 'swapped for the other' }).length, 1);
  }
});
