/**
 * Tests the script `twin-ingest` in a real copy of this checkout without dependencies. pnpm installs them from its store
 * on this machine, without a network, and the command runs.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What an installation and the command line need; the pages and benchmarks would only take time to copy. */
const PARTS = [
  '*package.json',
  'pnpm-*.yaml',
  'twin-ingest',
  'cli',
  'contract',
  'testkit/src',
  'client-ts/src',
];

test('a fresh copy installs its dependencies from the store, then runs at once', (context) => {
  const listed = spawnSync('git', ['ls-files', '-zco', '--exclude-standard', ...PARTS], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (listed.status !== 0) return context.skip('this is no checkout of git');
  const folder = mkdtempSync(join(tmpdir(), "fresh copy's "));
  try {
    for (const path of listed.stdout.split('\0').filter((name) => name !== '')) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      cpSync(join(ROOT, path), join(folder, path));
    }
    const run = (...argv: string[]) =>
      spawnSync(join(folder, 'twin-ingest'), argv, {
        cwd: '/',
        env: { ...process.env, pnpm_config_offline: 'true' },
        encoding: 'utf8',
        timeout: 120_000,
      });
    const first = run('--version');
    if (/ERR_PNPM_NO_OFFLINE/.test(first.stderr + first.stdout))
      return context.skip('the store of pnpm does not have the dependencies');
    assert.deepEqual([first.status, first.stdout], [0, 'twin-ingest 0.1.0\n'], first.stderr);
    assert.match(first.stderr, /^twin-ingest: installing the dependencies of /);
    const again = run('connect', '--help');
    assert.deepEqual([again.status, again.stderr], [0, '']);
    assert.ok(
      again.stdout.startsWith(`Usage: '${folder.replace("'", "'\\''")}/twin-ingest' connect `),
      again.stdout,
    );
    assert.equal(run('conect').status, 2);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
