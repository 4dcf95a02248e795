/**
 * The list of known divergences keeps itself true.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { applyDivergences, DivergenceError, loadDivergences } from '../src/divergence.ts';
import type { Outcome, Result } from '../src/result.ts';
import { inFolder } from '../src/workspace.ts';

const REASON = 'the parser answers before anything of ours runs';
const FAILED: Outcome = { kind: 'failed', exchanges: [] };

test('a failure that is known is no failure', () => {
  const [one, other] = apply([result('a', FAILED), result('b', FAILED)], '70-http/a');
  assert.deepEqual(one?.outcome, { kind: 'skipped', reason: `known divergence: ${REASON}` });
  assert.equal(other?.outcome.kind, 'failed');
});

test('an entry that passes is a failure', () => {
  const [one] = apply([result('a', { kind: 'passed' })], '70-http/*');
  assert.equal(one?.outcome.kind, 'failed');
});

test('an entry that matches nothing is a failure, unless only a part was run', () => {
  const results = [result('a', { kind: 'passed' })];
  assert.deepEqual(
    apply(results, '70-http/b').map((one) => one.outcome.kind),
    ['passed', 'failed'],
  );
  assert.deepEqual(
    apply(results, '70-http/b', false).map((one) => one.outcome.kind),
    ['passed'],
  );
});

test('a pattern is text but for its stars', () => {
  assert.equal(apply([result('ab', FAILED)], '70-http/a.', false)[0]?.outcome.kind, 'failed');
  assert.equal(apply([result('a (x)', FAILED)], '*/a (x)', false)[0]?.outcome.kind, 'skipped');
});

test('an entry is for its own target', () => {
  const [one] = apply([{ ...result('a', FAILED), target: 'ts' }], '70-http/a', false);
  assert.equal(one?.outcome.kind, 'failed');
});

test('a list needs reasons and has at most ten entries', async () => {
  await inFolder(async (folder) => {
    const place = pathToFileURL(`${folder}/`);
    const write = (name: string, content: unknown): void =>
      writeFileSync(`${folder}/server-${name}.json`, JSON.stringify(content));
    const entries = (count: number): unknown =>
      Array.from({ length: count }, (_, index) => ({ pattern: `a/${index}`, reason: REASON }));
    assert.deepEqual(loadDivergences(['rs'], place), new Map([['rs', []]]));
    write('rs', entries(5));
    write('ts', entries(5));
    assert.equal(loadDivergences(['rs', 'ts'], place).get('ts')?.length, 5);
    write('ts', entries(6));
    assert.throws(() => loadDivergences(['rs', 'ts'], place), DivergenceError);
    write('ts', [{ pattern: 'a/b', reason: 'because' }]);
    assert.throws(() => loadDivergences(['ts'], place), DivergenceError);
  });
});

function apply(results: readonly Result[], pattern: string, whole = true): Result[] {
  return applyDivergences(results, new Map([['rs', [{ pattern, reason: REASON }]]]), whole);
}

function result(name: string, outcome: Outcome): Result {
  return { suite: '70-http', name, rules: ['HTT-08'], target: 'rs', outcome, ms: 1, notes: [] };
}
