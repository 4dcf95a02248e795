/** Tests that a scenario may throw anything at any time without affecting the others. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
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

const MODULE = (name: string): string => new URL(`../src/${name}`, import.meta.url).href;

/** Runs these scenarios concurrently in their own process, where the errors do not reach the test runner. */
function runAlone(...bodies: readonly string[]) {
  const program = `
    import { setTimeout as pause } from 'node:timers/promises';
    import { runScenario } from '${MODULE('run-scenario.ts')}';
    const later = async (message) => { await pause(20); throw new Error(message); };
    const bodies = [${bodies.map((body) => `async () => { ${body} }`).join()}];
    const options = { targets: ['rs'] };
    const file = { name: 'file', about: 'none', scenarios: [] };
    const results = await Promise.all(bodies.map((run) =>
      runScenario(file, { name: 'one', rules: ['ING-01'], uses: 'each', run }, options)));
    await pause(100);
    const text = ({ kind, message }) => message === undefined ? kind : kind + ': ' + message;
    console.log(JSON.stringify(results.map(([{ outcome }]) => text(outcome))));`;
  const args = ['--input-type=module', '--eval', program];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stderr, outcomes: status === 0 ? JSON.parse(stdout) : [] };
}

test('an error that a scenario does not wait for fails this scenario alone', () => {
  const { outcomes, stderr } = runAlone(
    `later('rejected'); await pause(60);`,
    `await pause(60);`,
    `setTimeout(() => { throw new Error('thrown'); }, 20); await pause(60);`,
    `later('first'); await pause(40); throw new Error('own');`,
  );
  const expected = ['failed: rejected', 'passed', 'failed: thrown', 'failed: own\nfirst'];
  assert.deepEqual(outcomes, expected, stderr);
});

test('an error after the end of a scenario ends the run when the scenario passed', () => {
  const after = runAlone(`later('too late');`, `await pause(100);`);
  assert.notEqual(after.status, 0);
  assert.match(after.stderr, /Error: too late/);
  assert.deepEqual(runAlone(`later('too late'); throw new Error('own');`).outcomes, ['failed: own']);
});
