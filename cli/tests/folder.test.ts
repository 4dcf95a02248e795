/** Tests of creating folders. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFolder } from '../src/folder.ts';

test('a folder is created with its parents, and may exist', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'folder-'));
  t.after(() => rmSync(root, { recursive: true }));
  const folder = join(root, 'a/b/c');
  createFolder(folder, 0o700);
  createFolder(folder, 0o700);
  for (const path of ['a', 'a/b', 'a/b/c'])
    assert.equal(statSync(join(root, path)).mode & 0o777, 0o700, path);
  writeFileSync(join(root, 'file'), '');
  assert.throws(() => createFolder(join(root, 'file')), { code: 'EEXIST' });
  assert.throws(() => createFolder(join(root, 'file/d')), { code: 'ENOTDIR' });
});

// With `recursive`, `mkdirSync` never returns here.
test('a folder that the system refuses is an error', { skip: process.platform !== 'linux' }, () => {
  assert.throws(() => createFolder('/proc/none/d'), { code: 'ENOENT' });
});
