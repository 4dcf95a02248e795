/**
 * Tests `pnpm bench:sync` as a child process. Every fault of a server or a client ends it with 1. A run without a fault
 * gives a result that follows the schema. `pnpm check:long` runs the suite on the real servers.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { violations, writeChecked } from '../src/result/json.ts';
import { type Parameters, rowsWhere } from '../src/result/suite-rows.ts';
import type { ScenarioName, SyncResult } from '../src/sync/result.ts';
import { committedCheckout, git, runProgram } from './run-program.ts';
import { folder } from './scratch.ts';

const FAKE = fileURLToPath(new URL('./sync-fake-main.ts', import.meta.url));

/** Runs the suite with one fake server. */
function run(scenarios: string, FAKE_CHECKOUT: string, FAKE_FAULTS = '') {
  const argv = ['--quick', '--only=rs', `--scenarios=${scenarios}`];
  return runProgram(FAKE, argv, { FAKE_FAULTS, FAKE_CHECKOUT });
}

test('with servers that are right it ends with 0, a table and a part that follows the schema, a row a line', async () => {
  const checkout = committedCheckout();
  const out = join(checkout, '.bench/sync.json');
  const done = await run('bursts,fan_out', checkout);
  assert.equal(done.code, 0, done.stderr);
  assert.deepEqual([done.left, git(checkout, 'status', '--porcelain')], [[], '']);
  assert.match(done.stdout, /round trip p50/);
  const text = readFileSync(out, 'utf8');
  const sync = JSON.parse(text) as SyncResult;
  assert.deepEqual(await violations(sync, '#/$defs/sync'), []);
  assert.equal(text.match(/^ +\{"scenario":.*"figures":.*\},?$/gm)!.length, sync.rows.length);
  const wrong = JSON.stringify({ ...sync, seed: 'none' });
  await assert.rejects(writeChecked(wrong, out, '#/$defs/sync'), /does not follow its schema/);
  assert.equal(readFileSync(out, 'utf8'), text, 'a part that does not follow it replaces nothing');
  assert.ok(!JSON.stringify(sync).includes(folder), 'no folder of the machine');
  const rows = (parameters: Parameters, scenario: ScenarioName = 'bursts') =>
    rowsWhere(sync, scenario, 'rs', parameters);
  const [last] = rows({ strategy: 'fetch_each', events: 50, concurrency: 16 });
  const { invalidations, fetches } = last!.figures;
  // Only this strategy has exact counts: for each event one frame and one fetch.
  assert.deepEqual([invalidations!.median, fetches!.median], [50, 50]);
  for (const { figures } of process.platform === 'linux' ? rows({}) : []) {
    const { staleness_max_ms, server_cpu_ms, end_to_end_ms } = figures;
    // Staleness begins at the response to a post, so it is at most the time from the first post.
    assert.ok(staleness_max_ms!.min >= 0 && staleness_max_ms!.max <= end_to_end_ms!.max);
    assert.ok(server_cpu_ms!.min > 0, JSON.stringify(figures));
  }
  const [crowd] = rows({ clients: 20, stalled: 2 }, 'fan_out');
  const { notified, staleness_p99_ms, saturated_events_per_s } = crowd!.figures;
  for (const figure of [notified, staleness_p99_ms, saturated_events_per_s]) assert.ok(figure!.min > 0);
});

const FAULTS: readonly (readonly [scenarios: string, fault: string, message: RegExp])[] = [
  ['round_trip', 'rs:drops-the-last', /out_of_sync: .* the client has applied 29, and not 30, after/],
  ['round_trip', 'rs:silent', /out_of_sync: .* the first invalidation has not come/],
  ['fan_out', 'rs:sends-an-older', /out_of_sync: .* times a client heard of an older state/],
  ['fan_out', 'rs:drops-a-client', /out_of_sync: .* rs dropped one of 20 clients/],
  ['round_trip', 'rs:refuses', /generator_failed: .* POST \/api\/events answered 503/],
  ['round_trip', 'client:older', /out_of_sync: .* the client applied an older state/],
];

// The first two wait until the run loses its patience, so they begin at once.
suite('faults', { concurrency: 3 }, () => {
  for (const [scenarios, fault, message] of FAULTS) {
    test(`the fault ${fault} is caught in ${scenarios}`, async () => {
      const checkout = join(folder, fault);
      const done = await run(scenarios, checkout, fault);
      assert.equal(done.code, 1, done.stdout);
      assert.match(done.stderr, message);
      assert.deepEqual(done.left, []);
      assert.ok(!existsSync(checkout), 'no result of a run that failed');
    });
  }
});
