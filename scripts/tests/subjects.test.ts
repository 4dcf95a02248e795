/** Tests the check of commit subjects: their form, and which commits are checked. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { problemOf, subjectsOf } from '../check-subjects.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'subjects-'));
after(() => rmSync(FOLDER, { recursive: true, force: true }));
const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: folder });
const subjects = (folder: string, range: string) =>
  subjectsOf(folder, range, 'check').map(({ subject }) => subject);

const ORIGIN = join(FOLDER, 'origin');
git(FOLDER, 'init', '--quiet', '--initial-branch=main', ORIGIN);
for (const subject of ['Old history.', 'scripts: check subjects', 'a: add b', 'a: add c']) {
  if (subject.startsWith('scripts')) writeFileSync(join(ORIGIN, 'check'), '');
  git(ORIGIN, 'add', '-A');
  git(ORIGIN, 'commit', '--quiet', '--allow-empty', '-m', subject);
}

test('a subject is an area, a verb and an object, in at most 72 characters', () => {
  for (const subject of ['server-ts: cache statements', 'cli, testkit: end children', '0057: round figures'])
    assert.equal(problemOf(subject), undefined, subject);
  assert.equal(problemOf('Cache statements'), 'is not `area: verb object`');
  assert.equal(problemOf('server-ts: Cache statements'), 'is not `area: verb object`');
  assert.equal(problemOf('server-ts: cache'), 'is not `area: verb object`');
  assert.equal(problemOf('server-ts: cache statements.'), 'ends with a full stop');
  assert.equal(problemOf(`a: add ${'b'.repeat(65)}`), undefined);
  assert.equal(problemOf(`a: add ${'b'.repeat(66)}`), 'more than 72 characters');
});

test('history before the check is not checked', () => {
  assert.deepEqual(subjects(ORIGIN, 'HEAD'), ['a: add c', 'a: add b', 'scripts: check subjects']);
});

test('a range limits what is checked, and one that the clone does not have means all', () => {
  assert.deepEqual(subjects(ORIGIN, 'HEAD~1..HEAD'), ['a: add c']);
  assert.equal(subjects(ORIGIN, `${'0'.repeat(40)}..HEAD`).length, 3);
});

test('a shallow clone is checked as far as it goes', () => {
  const clone = join(FOLDER, 'clone');
  git(FOLDER, 'clone', '--quiet', '--depth=2', pathToFileURL(ORIGIN).href, clone);
  assert.deepEqual(subjects(clone, 'HEAD'), ['a: add c', 'a: add b']);
});

test('a repository without the check has nothing to check', () => {
  const other = join(FOLDER, 'other');
  git(FOLDER, 'init', '--quiet', other);
  assert.deepEqual(subjects(other, 'HEAD'), []);
});
