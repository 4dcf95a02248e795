/** Tests the end of the output of `pnpm test`: which scripts passed, and which cases failed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FailedCases } from '../failed-cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'run-all-'));
after(() => rmSync(folder, { recursive: true }));

/**
 * A fake pnpm. It runs `failing.test.mjs` with `node --test`, prints fixed outputs of other runners, and lets all other
 * scripts pass.
 */
const PNPM = `
import { spawnSync } from 'node:child_process';
const script = process.argv[3];
if (script === 'ts:test') {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const argv = ['--test', ${JSON.stringify(join(folder, 'failing.test.mjs'))}];
  process.exit(spawnSync(process.execPath, argv, { stdio: 'inherit', env }).status);
}
const printed = {
  'rust:test': 'test one::passes ... ok\\ntest two::fails ... FAILED\\n\\nfailures:\\n    two::fails\\n',
  parity: '\\x1b[31m✗ formats/a case  [ts]  FMT-03\\x1b[0m\\n  400 and not 201\\n',
  'page:check': 'app.js is out of date\\n',
}[script];
if (printed !== undefined) {
  process.stdout.write(printed);
  process.exit(1);
}
`;
const FAILING = `
import { test } from 'node:test';
test('a test that passes', () => {});
test('a test that fails', () => { throw new Error('no'); });
`;

async function runAll(): Promise<{ code: number | null; stdout: string }> {
  const pnpm = join(folder, 'pnpm.mjs');
  writeFileSync(pnpm, PNPM);
  writeFileSync(join(folder, 'failing.test.mjs'), FAILING);
  const child = spawn(process.execPath, [fileURLToPath(new URL('../run-all.ts', import.meta.url)), 'test'], {
    env: { ...process.env, npm_execpath: pnpm },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { code: code as number | null, stdout };
}

test('a run ends with the failing cases of each script that failed', async () => {
  const { code, stdout } = await runAll();
  assert.equal(code, 1);
  const end = stdout.slice(stdout.lastIndexOf(' passed, '));
  assert.match(end, /^ passed, 4 failed, in \d+ s\n/);
  assert.match(
    end.replace(/ \([\d.]+ms\)/g, ''),
    new RegExp(
      [
        '\n\n== page:check failed:\n  no line names a case; its last lines are above the table\n',
        '\n== rust:test failed:\n  test two::fails ... FAILED\n',
        '\n== ts:test failed:\n  ✖ a test that fails\n {6}Error: no\n',
        '\n== parity failed:\n  ✗ formats/a case {2}\\[ts\\] {2}FMT-03\n {6}400 and not 201\n$',
      ].join(''),
    ),
  );
});

test('of many failing cases the first ones are named, and the others are counted', () => {
  const cases = new FailedCases();
  for (let number = 1; number <= 100; number++) cases.take(`not ok ${number} - case ${number}`);
  assert.equal(cases.lines.length, 40);
  assert.deepEqual([cases.lines[38], cases.lines[39]], ['not ok 39 - case 39', 'and 61 more']);
});

test('a failing case is named once when a runner prints it twice', () => {
  const cases = new FailedCases();
  for (const line of ['✖ a case (1.5ms)', '✔ another (1ms)', '✖ failing tests:', '', '  ✖ a case (1.5ms)'])
    cases.take(line);
  assert.deepEqual(cases.lines, ['✖ a case (1.5ms)']);
});

test('a reason has at most four lines, and ends where the stack begins', () => {
  const cases = new FailedCases();
  const reasons = ['one', 'two', '', 'three', 'four', 'five'].map((line) => `  ${line}`);
  for (const line of [
    '✖ failing tests:',
    '✖ a case (1ms)',
    ...reasons,
    '✖ b case (1ms)',
    '  no',
    '    at f',
    '  yes',
  ])
    cases.take(line);
  assert.deepEqual(cases.lines, [
    '✖ a case (1ms)',
    ...['one', 'two', 'three', 'four'].map((line) => `    ${line}`),
    '✖ b case (1ms)',
    '    no',
  ]);
});
