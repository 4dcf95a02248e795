/** Tests that a scenario may throw anything at any time without affecting the others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOptions } from '../src/options.ts';
import { runScenario } from '../src/run-scenario.ts';
import type { Scenario, ScenarioContext } from '../src/scenario.ts';

const parsed = parseOptions(['--target', 'rs'], {});
assert.equal(parsed.kind, 'options');
const { options } = parsed as Extract<typeof parsed, { kind: 'options' }>;

async function outcomeOf(run: Scenario['run']) {
  const scenario: Scenario = { name: 'one', rules: ['ING-01'], uses: 'each', run };
  const [result] = await runScenario(
    { name: 'file', about: 'none', scenarios: [scenario] },
    scenario,
    options,
  );
  return result!.outcome;
}

for (const [when, wrap] of [
  ['before it waits for anything', (end: (context: ScenarioContext) => void) => end],
  ['later', (end: (context: ScenarioContext) => void) => async (context: ScenarioContext) => end(context)],
] as const) {
  test(`skipped or failed ${when}`, async () => {
    const run = (end: (context: ScenarioContext) => void) => outcomeOf(wrap(end) as Scenario['run']);
    assert.deepEqual(await run((context) => context.skip('no file')), { kind: 'skipped', reason: 'no file' });
    const failed = await run(() => assert.fail('not so'));
    assert.deepEqual([failed.kind, 'message' in failed && failed.message], ['failed', 'not so']);
  });
}

test('passed', async () => {
  assert.deepEqual(await outcomeOf(async () => undefined), { kind: 'passed' });
});
