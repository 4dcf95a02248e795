import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseDigest } from '../digest.ts';
import { AttachmentFiles } from './attachment-files.ts';
import { FolderOwner } from './attachment-folder.ts';

const NAME = 'ab'.repeat(32);
const DIGEST = parseDigest(NAME)!;
const OWNER = new FolderOwner('id', 'token');

function filesIn(folder: string, durability: 'process' | 'power' = 'process'): AttachmentFiles {
  return new AttachmentFiles(join(folder, 'events.db'), durability).useFor(OWNER);
}

for (const durability of ['process', 'power'] as const) {
  test(`a file is complete when it gets its name (${durability})`, async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'ingest-test-'));
    context.after(() => rmSync(folder, { recursive: true }));
    const files = filesIn(folder, durability);
    const place = join(folder, 'events.db.attachments');
    files.sweep(OWNER, () => false);
    assert.equal(existsSync(place), false, 'a folder that is not there is not made');

    const file = await files.begin();
    await file.append(Buffer.from('0123'));
    await file.append(Buffer.from('456789'));
    await file.sync();
    assert.equal(await files.has(DIGEST, 10), false);
    files.persist(file.path, DIGEST);
    await file.remove();
    assert.deepEqual(readdirSync(place, { recursive: true }).sort(), ['ab', `ab/${NAME}`, 'state']);
    assert.equal(await files.has(DIGEST, 10), true);
    assert.equal(files.hasSync(DIGEST, 9), false);
    assert.equal((await files.read(DIGEST, 2, 3)).toString(), '234');
    await assert.rejects(files.read(DIGEST, 8, 3));

    const cut = await files.begin();
    await cut.remove();
    await assert.rejects(cut.append(Buffer.from('x')), 'a file that was removed does not come back');
    assert.deepEqual(readdirSync(place).sort(), ['ab', 'state']);
  });
}

test('a sweep removes temporary files and unknown contents', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'ingest-test-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const files = filesIn(folder);
  const place = join(folder, 'events.db.attachments');
  files.persist((await files.begin()).path, DIGEST);
  await files.begin();
  for (const other of ['notes', 'ab/notes', `ab/${'cd'.repeat(32)}`]) writeFileSync(join(place, other), 'x');
  const all = ['ab', `ab/${'cd'.repeat(32)}`, 'ab/notes', 'notes', 'state'];
  files.sweep(OWNER, () => true);
  assert.deepEqual(readdirSync(place, { recursive: true }).sort(), [...all, `ab/${NAME}`].sort());
  files.sweep(OWNER, () => false);
  assert.deepEqual(readdirSync(place, { recursive: true }).sort(), all);
});

test('a newer content goes aside, and comes back with its row', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'ingest-test-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const files = filesIn(folder);
  const place = join(folder, 'events.db.attachments');
  const { path } = await files.begin();
  files.note(OWNER.withContent(DIGEST));
  files.persist(path, DIGEST);
  const older = filesIn(folder);
  assert.equal(older.claim(OWNER), undefined);
  assert.deepEqual(
    older.sweep(OWNER, () => false),
    { files: 1, folder: join(place, 'aside') },
  );
  assert.equal(older.hasSync(DIGEST, 0), false);
  assert.equal(
    older.sweep(OWNER, () => true),
    undefined,
  );
  assert.equal(older.hasSync(DIGEST, 0), true);

  const other = filesIn(folder);
  const aside = `${place}.aside-1`;
  assert.deepEqual(other.claim(new FolderOwner('other', 'token')), { files: 1, folder: aside });
  assert.equal(existsSync(place), false);
  assert.deepEqual(readdirSync(aside).sort(), ['ab', 'aside', 'state']);
});

test('a copy that does not end leaves nothing, and takes nothing of another folder', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'ingest-test-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const files = new AttachmentFiles(join(folder, 'events.db'), 'process');
  const place = join(folder, 'events.db.attachments');
  const fill = async (): Promise<void> => {
    files.beginContents(OWNER);
    files.persist((await files.begin()).path, DIGEST);
    await files.begin();
  };
  assert.equal(files.beginCopy(), undefined);
  await fill();
  assert.equal(files.beginCopy(), undefined);
  assert.deepEqual(readdirSync(folder), []);
  await fill();
  // A kill comes after the database has its name: the start completes the folder.
  assert.equal(files.claim(OWNER), undefined);
  assert.equal(existsSync(join(place, 'state.partial')), false);
  files.finishCopy();
  files.removeCopy();
  assert.equal(files.hasSync(DIGEST, 0), true);
  assert.equal(files.beginCopy(), `${place}.aside-1`);
  assert.deepEqual(readdirSync(folder), ['events.db.attachments.aside-1']);
});
