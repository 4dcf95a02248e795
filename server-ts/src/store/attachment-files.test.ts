import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseDigest } from '../digest.ts';
import { AttachmentFiles } from './attachment-files.ts';

const NAME = 'ab'.repeat(32);
const DIGEST = parseDigest(NAME)!;

for (const durability of ['process', 'power'] as const) {
  test(`a file is complete when it gets its name (${durability})`, async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'ingest-test-'));
    context.after(() => rmSync(folder, { recursive: true }));
    const files = new AttachmentFiles(join(folder, 'events.db'), durability);
    const place = join(folder, 'events.db.attachments');
    files.sweep(() => false);
    assert.equal(existsSync(place), false, 'a folder that is not there is not made');

    const file = await files.begin();
    await file.append(Buffer.from('0123'));
    await file.append(Buffer.from('456789'));
    await file.sync();
    assert.equal(await files.has(DIGEST, 10), false);
    files.persist(file.path, DIGEST);
    await file.remove();
    assert.deepEqual(readdirSync(place, { recursive: true }).sort(), ['ab', `ab/${NAME}`]);
    assert.equal(await files.has(DIGEST, 10), true);
    assert.equal(files.hasSync(DIGEST, 9), false);
    assert.equal((await files.read(DIGEST, 2, 3)).toString(), '234');
    await assert.rejects(files.read(DIGEST, 8, 3));

    const cut = await files.begin();
    await cut.remove();
    await assert.rejects(cut.append(Buffer.from('x')), 'a file that was removed does not come back');
    assert.deepEqual(readdirSync(place), ['ab']);
  });
}

test('a sweep removes temporary files and unknown contents', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'ingest-test-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const files = new AttachmentFiles(join(folder, 'events.db'), 'process');
  const place = join(folder, 'events.db.attachments');
  files.persist((await files.begin()).path, DIGEST);
  await files.begin();
  for (const other of ['notes', 'ab/notes', `ab/${'cd'.repeat(32)}`]) writeFileSync(join(place, other), 'x');
  const all = ['ab', `ab/${'cd'.repeat(32)}`, 'ab/notes', 'notes'];
  files.sweep(() => true);
  assert.deepEqual(readdirSync(place, { recursive: true }).sort(), [...all, `ab/${NAME}`].sort());
  files.sweep(() => false);
  assert.deepEqual(readdirSync(place, { recursive: true }).sort(), all);
});
