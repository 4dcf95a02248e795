/**
 * Tests how a run describes the checkout: new results do not make the next run's checkout dirty, any other change does.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { isDirty } from '../src/observe/environment.ts';
import { folder as root } from './scratch.ts';

test('results leave a checkout clean, a source or a new file does not, and without git nothing is said', () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root });
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  assert.equal(isDirty(root), null);
  git('init', '--quiet');
  for (const file of ['benchmark-results.json', 'docs/suites/sync.json', 'loadgen/src/main.ts'])
    write(file, 'before');
  git('add', '.');
  git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '--quiet', '--message=before');
  assert.equal(isDirty(root), false);
  write('benchmark-results.json', 'after');
  write('docs/suites/sync.json', 'after');
  assert.equal(isDirty(root), false);
  write('loadgen/src/main.ts', 'after');
  assert.equal(isDirty(root), true);
  write('loadgen/src/main.ts', 'before');
  assert.equal(isDirty(root), false);
  write('new.ts', 'after');
  assert.equal(isDirty(root), true);
});
