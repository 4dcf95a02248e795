/** Tests the lists of faults and of attacks, and the recording and the images of the power-loss scenario. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { SCENARIO_FILES } from '../scenarios/index.ts';
import { ATTACK_CLASSES } from '../src/attack-classes.ts';
import { FAULT_CLASSES, UNTESTED } from '../src/fault-classes.ts';
import { REPEATED } from '../src/long-faults.ts';
import { imageAt } from '../src/power-loss/image.ts';
import { type Operation, readRecording } from '../src/power-loss/recording.ts';

test('each class of faults has a scenario or a reason, and a row in the document', () => {
  const tested = new Set(SCENARIO_FILES.flatMap((file) => file.scenarios.flatMap((one) => one.faults ?? [])));
  const document = readFileSync(new URL('../../docs/reliability.md', import.meta.url), 'utf8');
  for (const name of Object.keys(FAULT_CLASSES) as (keyof typeof FAULT_CLASSES)[]) {
    assert.notEqual(tested.has(name), UNTESTED[name] !== undefined, name);
    assert.match(document, new RegExp(`^\\| ${name} +\\|`, 'm'), name);
  }
  assert.ok(Object.keys(UNTESTED).length <= 3);
});

test('each class of attacks has a scenario, and a row in the document', () => {
  const tested = new Set(
    SCENARIO_FILES.flatMap((file) => file.scenarios.flatMap((one) => one.attacks ?? [])),
  );
  const document = readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8');
  for (const name of Object.keys(ATTACK_CLASSES) as (keyof typeof ATTACK_CLASSES)[]) {
    assert.ok(tested.has(name), name);
    assert.match(document, new RegExp(`^\\| ${name} +\\|`, 'm'), name);
  }
});

test('each long run repeats a scenario', () => {
  for (const scenario of REPEATED) assert.ok(scenario?.faults);
});

const hex = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');

test('a recording is the operations on the files of one database, in their order', () => {
  const text = [
    `7 pwrite64(3</d/e.db-wal>, "${hex('abc')}", 3, 24) = 3`,
    `7 fsync(3</d/e.db-wal> <unfinished ...>`,
    `8 pwrite64(4<${hex('/d/e.db')}>, "${hex('x')}", 1, 0 <unfinished ...>`,
    `8 <... pwrite64 resumed>) = 1`,
    `7 <... fsync resumed>)              = 0`,
    `9 writev(5<socket:[1]>, [{iov_base="${hex('HTTP/1.1 201 Created')}", iov_len=20}], 1) = 20`,
    `7 pwrite64(6</d/other>, "${hex('x')}", 1, 0) = 1`,
    `7 fdatasync(3</d/e.db-wal>) = -1 EIO (Input/output error)`,
    `7 ftruncate(4</d/e.db>, 8192) = 0`,
    `7 unlink("${hex('/d/e.db-wal')}") = 0`,
    `7 +++ exited with 0 +++`,
  ].join('\n');
  assert.deepEqual(readRecording(text, '/d/e.db'), [
    { kind: 'write', file: '-wal', offset: 24, bytes: Buffer.from('abc') },
    { kind: 'write', file: '', offset: 0, bytes: Buffer.from('x') },
    { kind: 'sync', file: '-wal' },
    { kind: 'acknowledge' },
    { kind: 'truncate', file: '', size: 8192 },
    { kind: 'remove', file: '-wal' },
  ]);
});

test('an image keeps what was synced, and other operations by choice', () => {
  const write = (offset: number, text: string): Operation => ({
    kind: 'write',
    file: '',
    offset,
    bytes: Buffer.from(text),
  });
  const operations: Operation[] = [write(0, 'ab'), { kind: 'sync', file: '' }, write(1, 'xyz')];
  const at = (position: number, survival: 'all' | 'none'): string =>
    imageAt(new Map(), operations, position, survival, seededRandom(1)).get('')?.toString() ?? '';
  assert.equal(at(1, 'all'), 'ab');
  assert.equal(at(1, 'none'), '');
  assert.equal(at(3, 'none'), 'ab');
  assert.equal(at(3, 'all'), 'axyz');
});
