/** Tests that the commands find the file that a server uses for a path (rules STO-02 and STO-14). */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { databasePath } from '../src/lifecycle/database.ts';
import { run } from './run-script.ts';

test('a path leads where the system leads it', async () => {
  await inTree({}, async (folder) => {
    const cwd = realpathSync(folder);
    mkdirSync(join(cwd, 'far/sub'), { recursive: true });
    symlinkSync('far/sub', join(cwd, 'link'));
    symlinkSync('link/../e.db', join(cwd, 'to-file'));
    symlinkSync('loop', join(cwd, 'loop'));
    for (const hasFile of [false, true]) {
      if (hasFile) writeFileSync(join(cwd, 'far/e.db'), '');
      for (const db of ['link/../e.db', 'to-file', './far/./e.db', 'far/sub/../e.db', `${cwd}/to-file`]) {
        assert.equal(databasePath(db, cwd), join(cwd, 'far/e.db'), `${db}, the file exists: ${hasFile}`);
      }
    }
    for (const [db, path] of [
      ['e.db ', `${cwd}/e.db `],
      ['file:e.db?', `${cwd}/file:e.db?`],
      // The server refuses these and says why.
      ['e.db/', `${cwd}/e.db/`],
      ['..', `${cwd}/..`],
      ['far/e.db/e.db', `${cwd}/far/e.db/e.db`],
    ] as const) {
      assert.equal(databasePath(db, cwd), path);
    }
    databasePath('loop', cwd);
  });
});

for (const runtime of ['rust', 'node']) {
  test(`ensure and stop use exactly the file of --db (${runtime})`, async () => {
    await inTree({}, async (cwd) => {
      const db = ['--db', 'e.db '];
      const ensured = await run('ensure', [...db, '--runtime', runtime, '--', '--idle-exit', '20'], { cwd });
      assert.equal(ensured.code, 0, ensured.stderr);
      assert.ok(readdirSync(cwd).includes('e.db .lock'));
      const other = await run('stop', ['--db', 'e.db'], { cwd });
      assert.match(other.stdout, /^no server holds /);
      const stopped = await run('stop', db, { cwd });
      assert.match(stopped.stdout, /^stopped the server with pid /, stopped.stderr);
    });
  });
}
