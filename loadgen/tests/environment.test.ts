/** Tests what a run states about the checkout, which new results do not make dirty, and the size of a server. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import { isDirty } from '../src/observe/environment.ts';
import { deployedSize } from '../src/observe/size.ts';
import { folder as root } from './scratch.ts';

test('results leave a checkout clean, a source or a new file does not, and without git nothing is said', () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root });
  const dirtyAfter = (file: string, text: string) => {
    writeFileSync(join(root, file), text);
    return isDirty(root);
  };
  mkdirSync(join(root, 'docs/suites'), { recursive: true });
  assert.equal(dirtyAfter('main.ts', 'before'), null);
  for (const file of ['benchmark-results.json', 'docs/suites/sync.json']) dirtyAfter(file, 'before');
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '--quiet', '--message=before');
  assert.equal(dirtyAfter('benchmark-results.json', 'after'), false);
  assert.equal(dirtyAfter('docs/suites/sync.json', 'after'), false);
  assert.equal(dirtyAfter('main.ts', 'after'), true);
  assert.equal(dirtyAfter('main.ts', 'before'), false);
  assert.equal(dirtyAfter('new.ts', 'after'), true);
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
