/** Tests the list of differences of servers with `--store jetstream`, and what it does with results. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SCENARIO_FILES } from '../scenarios/index.ts';
import { loadCaseFiles } from '../src/case.ts';
import { DIFFERENCES, type Difference, judged, matches } from '../src/differences.ts';
import { parseOptions } from '../src/options.ts';
import type { Outcome } from '../src/result.ts';

const NAMES = [
  ...loadCaseFiles().flatMap((file) => file.cases.map(({ name }) => `${file.name}/${name}`)),
  ...SCENARIO_FILES.flatMap((file) => file.scenarios.map(({ name }) => `scenarios/${file.name}/${name}`)),
];

const LIST: readonly Difference[] = [
  { rule: 'CLU-08', differs: 'it is refused', shows: 'status: 409', tests: ['file/*', 'other/one'] },
];

const refused: Outcome = {
  kind: 'failed',
  exchanges: [
    {
      step: 'when',
      sent: { method: 'GET', head: Buffer.alloc(0), body: Buffer.alloc(0), awaitContinue: false },
      answer: { kind: 'silent' },
      expected: undefined,
      differences: [{ where: 'status', expected: '201', got: '409' }],
    },
  ],
};

test('every difference names a rule of the contract, and tests that exist', () => {
  const folder = new URL('../../contract/rules/', import.meta.url);
  const contract = readdirSync(folder)
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
    .join('\n');
  assert.ok(DIFFERENCES.length > 0);
  for (const { rule, differs, shows, tests } of DIFFERENCES) {
    assert.ok(contract.includes(`- **${rule}** `), rule);
    assert.ok(differs !== '' && shows !== '' && tests.length > 0, rule);
    for (const pattern of tests)
      assert.ok(
        NAMES.some((name) => matches(pattern, name)),
        pattern,
      );
  }
});

test('docs/cluster.md lists every difference', () => {
  const text = readFileSync(new URL('../../docs/cluster.md', import.meta.url), 'utf8');
  const section = text.split('\n## Differences\n')[1]!.split('\n## ')[0]!;
  const lines = section.split('\n').filter((line) => line.startsWith('- '));
  const expected = DIFFERENCES.map(({ rule, differs }) => `- ${rule}: ${differs}`);
  assert.deepEqual(lines, [...new Set(expected)]);
});

test('a listed test that differs as the list says is reported with its rule', () => {
  for (const name of ['file/any', 'other/one']) {
    const outcome = judged(name, refused, LIST);
    assert.deepEqual(outcome, { kind: 'skipped', reason: 'differs by CLU-08: it is refused' });
  }
});

test('a listed test that differs otherwise, or not at all, fails', () => {
  const other: Outcome = { kind: 'failed', exchanges: [], message: 'the server ended' };
  for (const outcome of [other, { kind: 'passed' } as const]) {
    const found = judged('file/any', outcome, LIST);
    assert.equal(found.kind, 'failed');
    assert.match('message' in found ? (found.message ?? '') : '', /CLU-08/);
  }
});

test('a test with a difference that depends on time may pass', () => {
  const list = LIST.map((one) => ({ ...one, sometimes: true }));
  assert.deepEqual(judged('file/any', { kind: 'passed' }, list), { kind: 'passed' });
  assert.equal(judged('file/any', refused, list).kind, 'skipped');
});

test('a test that is not listed keeps its outcome', () => {
  assert.equal(judged('other/two', refused, LIST), refused);
  assert.deepEqual(judged('other/two', { kind: 'passed' }, LIST), { kind: 'passed' });
});

test('--store takes jetstream alone, and excludes --base-url', () => {
  const problems = (...argv: readonly string[]): readonly string[] => {
    const parsed = parseOptions(argv, {});
    return parsed.kind === 'wrong' ? parsed.problems : [];
  };
  assert.deepEqual(problems('--store', 'jetstream'), []);
  assert.deepEqual(problems('--store', 'sqlite'), ['--store must be jetstream, not sqlite']);
  assert.deepEqual(problems('--store', 'jetstream', '--base-url', 'http://127.0.0.1:1'), [
    '--base-url and --store exclude each other',
  ]);
});
