/** Tests `start`: the server's ready line is the first line of stdout, and a signal ends both processes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { run, start } from './run-script.ts';

test('start prints the ready line first, and SIGTERM stops the server', async () => {
  await inTree({}, async (cwd) => {
    const { child, shown, ended } = start('start', ['ts', '--', '--port', '0', '--db', `${cwd}/e.db`], {
      cwd,
    });
    const [, url] = await shown(/^\{"event":"ready","url":"([^"]+)"/);
    const health = (await (await fetch(`${url}/api/health`)).json()) as { command_name: string };
    assert.equal(health.command_name, './twin-ingest');
    child.kill('SIGTERM');
    const { code, stdout } = await ended;
    assert.equal(code, 0);
    assert.equal(stdout.split('\n').length, 2, stdout);
    await assert.rejects(fetch(`${url}/livez`));
  });
});

test("start passes the server's exit code on, and refuses an unknown server with 2", async () => {
  await inTree({}, async (cwd) => {
    const wrong = await run('start', ['ts', '--port', 'x'], { cwd });
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /--port must be an integer/);
    const unknown = await run('start', ['go'], { cwd });
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /^Usage: pnpm start:rs\|start:ts/);
  });
});
