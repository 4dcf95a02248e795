/** The order of rounds, where the result goes, and what is stale. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { TARGETS } from '../../parity-tests/src/targets.ts';
import { freshnessOf } from '../src/build.ts';
import { type Options, parseOptions } from '../src/options.ts';
import { parseCpuList } from '../src/placement.ts';
import { COMMITTED_RESULT, makePlan, roundOrder, SCRATCH_RESULT } from '../src/plan.ts';

const planOf = (...argv: string[]) => makePlan((parseOptions(argv) as { options: Options }).options);

test('rounds go A B B A, so that each is first as often as second', () => {
  assert.deepEqual(roundOrder(['rs', 'ts'], 4), ['rs', 'ts', 'ts', 'rs', 'rs', 'ts', 'ts', 'rs']);
  assert.deepEqual(roundOrder(['ts'], 2), ['ts', 'ts']);
});

test('the default run stays under five minutes by its own estimate', () => {
  const plan = planOf();
  assert.equal(plan.order.length, 10);
  assert.ok(plan.estimated_s < 300, String(plan.estimated_s));
});

test('the committed result is replaced by a full run alone', () => {
  assert.equal(planOf().out, COMMITTED_RESULT);
  for (const flag of ['--only=rs', '--rounds=4', '--events=20000', '--no-build']) {
    const plan = planOf(flag);
    assert.equal(plan.out, SCRATCH_RESULT, flag);
    assert.equal(plan.outReasons.length, 1, flag);
  }
  assert.equal(planOf('--only=rs', '--out=/somewhere/r.json').out, '/somewhere/r.json');
});

test('a list of cores as the kernel writes it', () => {
  assert.deepEqual(parseCpuList('0-2,5,7-8'), [0, 1, 2, 5, 7, 8]);
});

test('an artefact is stale when a source below it is newer, tests and folders that are made aside', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-stale-'));
  try {
    const file = (name: string, seconds: number) => {
      const path = join(folder, name);
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, name);
      utimesSync(path, seconds, seconds);
      return path;
    };
    const artefact = file('out/server', 1000);
    const target = { ...TARGETS.rs, artefact, sources: [join(folder, 'source'), join(folder, 'absent')] };
    file('source/main.rs', 900);
    file('source/tests/main.rs', 2000);
    file('source/node_modules/x.js', 2000);
    assert.equal(await freshnessOf(target), 'fresh');
    file('source/deep/er.rs', 1001);
    assert.equal(await freshnessOf(target), 'stale');
    assert.equal(await freshnessOf({ ...target, artefact: join(folder, 'nothing') }), 'missing');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
