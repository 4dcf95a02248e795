/**
 * Runs every scenario of `bench:sync` on the real servers. It belongs to `pnpm test:perf`, because its waits depend on
 * the machine.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { TARGET_NAMES, TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import { violations } from '../src/result/json.ts';
import { rowsWhere, SCENARIO_NAMES, type SyncResult } from '../src/sync/result.ts';
import { runProgram } from './run-program.ts';

const REAL = fileURLToPath(new URL('../src/cli/sync.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'loadgen-sync-'));
after(() => rmSync(folder, { recursive: true }));

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as SyncResult;

/** The dashboard has its own tests, and only this scenario needs a browser. */
const scenarios = SCENARIO_NAMES.filter((name) => name !== 'page');

for (const name of TARGET_NAMES) {
  const skip = !existsSync(TARGETS[name].artefact) && `server-${name} is not built`;
  test(`every scenario of the real ${name} server, quick`, { skip }, async () => {
    const out = join(folder, `${name}.json`);
    const done = await runProgram({
      folder,
      main: REAL,
      argv: ['--quick', '--no-build', `--only=${name}`, `--scenarios=${scenarios}`, `--out=${out}`],
    });
    assert.equal(done.code, 0, done.stderr);
    assert.deepEqual(done.left, []);
    const sync = read(out);
    assert.deepEqual(await violations(sync, '#/$defs/sync'), []);
    const skipped = sync.skipped.map(({ scenario }) => scenario);
    for (const scenario of scenarios) {
      const rows = sync.rows.filter((row) => row.scenario === scenario);
      assert.ok(rows.length > 0 || skipped.includes(scenario), scenario);
    }
    const trips = rowsWhere(sync, 'round_trip', name);
    const [smallest] = rowsWhere(sync, 'round_trip', name, { pace: 'GET /livez alone, back to back' });
    // The smallest exchange is a part of each of the other round trips.
    for (const { parameters, latency } of trips)
      assert.ok(smallest!.latency!.p50_ms <= latency!.p50_ms, `${parameters.pace}`);
    const isSwapped = TARGET_NAMES.every((one) => existsSync(TARGETS[one].artefact));
    assert.deepEqual(
      rowsWhere(sync, 'monotony', name).map(({ parameters }) => parameters),
      [{ how: 'in memory' }, { how: 'killed server', kills: 2, swaps: isSwapped ? 1 : 0 }],
    );
    const violated = sync.rows.filter(
      ({ parameters, figures }) => parameters.strategy !== 'fetch_each' && (figures.violations?.max ?? 0) > 0,
    );
    assert.deepEqual(violated, []);
  });
}
