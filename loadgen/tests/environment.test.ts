/** Tests how a run describes the checkout: new results do not make it dirty, any other change does. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDirty } from '../src/observe/environment.ts';
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
