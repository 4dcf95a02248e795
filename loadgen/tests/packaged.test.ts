/** Tests what `twin-ingest bench` measures, and the size of a server with parts in other folders. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import type { Comparison } from '@twin-ingest/testkit/servers/comparison.ts';
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import { ENOUGH_FOR_VERDICT } from '../src/analyse/statistics.ts';
import { parseOptions } from '../src/cli/compare-command.ts';
import { deployedSize } from '../src/observe/size.ts';
import { flagsOf } from '../src/packaged/main.ts';
import { makePlan } from '../src/plan/plan.ts';

const BOTH: Comparison = {
  targets: TARGETS,
  only: null,
  rounds: undefined,
  events: undefined,
  json: false,
};

function planned(comparison: Comparison) {
  const parsed = parseOptions(flagsOf(comparison));
  assert.ok(parsed.kind === 'run', JSON.stringify(parsed));
  return makePlan(parsed.options, { k6: false, wrk: false });
}

test('bench has enough rounds for a verdict, the loads of the answer, and takes two minutes', () => {
  const { targets, specs, estimated_s } = planned(BOTH);
  assert.deepEqual(
    specs.map(({ name, driver }) => [name, driver]),
    [
      ['batch', 'autocannon'],
      ['open_10000', 'open'],
    ],
  );
  assert.ok(specs.every(({ workload }) => workload.rounds >= ENOUGH_FOR_VERDICT));
  assert.ok(estimated_s <= 130, `${estimated_s} s`);
  assert.deepEqual(targets, ['rs', 'ts']);
});

test('bench passes its flags on', () => {
  const { targets, specs } = planned({ ...BOTH, only: 'ts', rounds: '2', events: '2000', json: true });
  assert.deepEqual(targets, ['ts']);
  assert.deepEqual([specs[0]!.workload.rounds, specs[0]!.workload.events], [2, 2000]);
});

test('the deployed size contains parts outside of the folder of the server', async () => {
  const files = { 'server/main.js': '12345', 'other/sqlite.node': '123', 'bin/node': '1' };
  await inTree(files, async (root) => {
    const artefact = `${root}/server/main.js`;
    const target = { ...TARGETS.ts, artefact, command: `${root}/bin/node` };
    const parts = [`${root}/other/sqlite.node`];
    assert.deepEqual(await deployedSize(target), { own_bytes: 5, with_runtime_bytes: 6 });
    assert.deepEqual(await deployedSize({ ...target, parts }), { own_bytes: 8, with_runtime_bytes: 9 });
  });
});
