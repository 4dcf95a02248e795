/** `pnpm bench:targets`: what it would measure, and every way to ask for it wrongly. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { MEASURED_FILES } from '../src/export/target-rows.ts';

const MAIN = fileURLToPath(new URL('../src/targets-main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'loadgen-targets-'));
after(() => rmSync(folder, { recursive: true }));

function run(...argv: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...argv], {
    encoding: 'utf8',
    env: { ...process.env, WRK_BIN: join(folder, 'none') },
  });
  return { code: status, stdout, stderr };
}

const listed = (stderr: string) => [...stderr.matchAll(/^== (\w+): node (\S+)/gm)].map(([, name]) => name);

test('it lists every file of the table with its flags, the real events when there are some', () => {
  const all = run('--', '--list', '--corpus=events.ndjson', `--dir=${folder}`);
  assert.equal(all.code, 0, all.stderr);
  assert.deepEqual(listed(all.stderr), [...MEASURED_FILES]);
  for (const name of MEASURED_FILES)
    assert.match(all.stderr, new RegExp(`^== ${name}: .*/${name}\\.json$`, 'm'));
  assert.match(all.stderr, /--corpus=\S*events\.ndjson/);
  assert.deepEqual(
    listed(run('--list').stderr),
    MEASURED_FILES.filter((name) => name !== 'real'),
  );
  assert.deepEqual(listed(run('--list', '--only=points,small').stderr), ['small', 'points']);
  assert.match(run('--help').stdout, /^Usage: pnpm bench:targets/);
});

test('a wrong flag explains itself with 2', () => {
  for (const [flag, what] of [
    ['--only=points,other', /--only knows small, .*, not other/],
    ['--only=real', /--only=real needs a --corpus/],
    ['--rest=soon', /--rest is a number of seconds, not soon/],
    ['--evnts=3', /--evnts/],
  ] as const) {
    const wrong = run(flag);
    assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
    assert.match(wrong.stderr, what);
  }
});

test('the flags are those that its programs know, and the first that fails ends the run', () => {
  // Without wrk each program reads its flags, says what it lacks, and measures nothing.
  const failed = run('--only=small,points', '--rest=0', `--dir=${folder}`);
  assert.equal(failed.code, 1, failed.stderr);
  assert.match(failed.stderr, /wrk was not found[\s\S]*bench:targets: small ended with 1\n$/);
  assert.ok(!existsSync(join(folder, 'small.json')));
});
