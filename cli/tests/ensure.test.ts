/** Tests `ensure` and `stop`: one server for many callers, and no other process is ended. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { freePorts } from '@twin-ingest/testkit/servers/free-port.ts';
import { type Ran, run } from './run-script.ts';

interface Found {
  readonly url: string;
  readonly pid: number;
  readonly started: boolean;
  readonly login_url?: string;
}

/** Ends a server that a failed test leaves behind. */
const SERVER_FLAGS = ['--', '--idle-exit', '20'];

/** Runs `ensure` in a folder with the database `e.db`. */
function ensure(cwd: string, own: readonly string[] = [], flags = SERVER_FLAGS): Promise<Ran> {
  return run('ensure', ['--db', 'e.db', '--json', ...own, ...flags], { cwd });
}

function found({ code, stdout, stderr }: Ran): Found {
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Found;
}

const stop = (cwd: string) => run('stop', ['--db', 'e.db'], { cwd });

async function isServing(url: string): Promise<boolean> {
  return await fetch(`${url}/livez`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Starts a process that is no server and only waits. */
function bystander(): ChildProcess & { readonly pid: number } {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  return child as ChildProcess & { readonly pid: number };
}

for (const runtime of ['rust', 'node']) {
  test(`ten callers of ensure at once get one server (${runtime})`, async () => {
    await inTree({}, async (cwd) => {
      const runs = await Promise.all(Array.from({ length: 10 }, () => ensure(cwd, ['--runtime', runtime])));
      const all = runs.map(found);
      assert.equal(new Set(all.map(({ url }) => url)).size, 1);
      assert.equal(new Set(all.map(({ pid }) => pid)).size, 1);
      assert.equal(all.filter(({ started }) => started).length, 1);
      const health = (await (await fetch(`${all[0]!.url}/api/health`)).json()) as { command_name: string };
      assert.equal(health.command_name, './twin-ingest');
      assert.deepEqual(
        readdirSync(cwd).filter((name) => name.includes('.log.')),
        [],
        'no log of a candidate is left',
      );
      assert.equal(statSync(`${cwd}/e.db.log`).mode & 0o777, 0o600);

      const again = found(await ensure(cwd));
      assert.deepEqual(again, { url: all[0]!.url, pid: all[0]!.pid, started: false });
      const plain = await run('ensure', ['--db', `${cwd}/e.db`], { cwd: '/' });
      assert.equal(plain.stdout, `${all[0]!.url}\n`);

      const stopped = await stop(cwd);
      assert.deepEqual([stopped.code, stopped.stdout], [0, `stopped the server with pid ${again.pid}\n`]);
      assert.equal(await isServing(again.url), false);
      assert.throws(() => process.kill(again.pid, 0), { code: 'ESRCH' });
      const none = await stop(cwd);
      assert.deepEqual([none.code, none.stdout], [0, `no server holds ${cwd}/e.db\n`]);
    });
  });
}

test('ensure starts a new server after kill -9, with the events of the first', async () => {
  await inTree({}, async (cwd) => {
    const first = found(await ensure(cwd));
    const event = { session_id: 's', agent_type: 'a', event_type: 'tool_use' };
    const sent = await fetch(`${first.url}/api/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(event),
    });
    assert.equal(sent.status, 201);
    process.kill(first.pid, 'SIGKILL');
    const second = found(await ensure(cwd));
    assert.equal(second.started, true);
    assert.equal((await fetch(`${second.url}/api/events/1`)).status, 200);
    assert.equal((await stop(cwd)).code, 0);
  });
});

test('ten callers of ensure on one fixed port get one server', async () => {
  await inTree({}, async (cwd) => {
    const port = (await freePorts(1))[0]!;
    const flags = [...SERVER_FLAGS, '--port', String(port)];
    const all = (await Promise.all(Array.from({ length: 10 }, () => ensure(cwd, [], flags)))).map(found);
    assert.deepEqual([...new Set(all.map(({ url }) => url))], [`http://127.0.0.1:${port}`]);
    assert.equal((await stop(cwd)).code, 0);
  });
});

test('ensure does not take the server of another database for its own', async () => {
  await inTree({}, async (cwd) => {
    const port = (await freePorts(1))[0]!;
    const flags = [...SERVER_FLAGS, '--port', String(port)];
    const of = (db: string, more: readonly string[]) =>
      run('ensure', ['--db', db, '--json', ...more], { cwd });
    const other = found(await of('other.db', flags));
    // A crashed server of the database had the port that the other one has now, and a process has its pid.
    assert.equal(found(await of('e.db', SERVER_FLAGS)).started, true);
    assert.equal((await stop(cwd)).code, 0);
    const live = bystander();
    const stale = JSON.stringify({ pid: live.pid, url: other.url });
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    try {
      writeFileSync(`${cwd}/e.db.owner`, stale);
      const taken = await of('e.db', flags);
      assert.deepEqual([taken.code, taken.stdout], [69, '']);
      assert.match(taken.stderr, new RegExp(`127\\.0\\.0\\.1:${port}`));
      // Another program holds the lock, so only the epoch tells the two servers apart.
      const lock = new DatabaseSync(`${cwd}/e.db.lock`);
      lock.exec('BEGIN EXCLUSIVE');
      const locked = await of('e.db', flags);
      assert.deepEqual([locked.code, locked.stdout], [69, '']);
      lock.close();
      writeFileSync(`${cwd}/e.db.owner`, stale);
      const own = found(await of('e.db', SERVER_FLAGS));
      assert.notEqual(own.url, other.url);
      assert.equal(own.started, true);
      assert.deepEqual(found(await of('e.db', SERVER_FLAGS)), { url: own.url, pid: own.pid, started: false });
    } finally {
      live.kill('SIGKILL');
      await stop(cwd);
      await run('stop', ['--db', 'other.db'], { cwd });
    }
  });
});

test("ensure fails with the server's exit code and message", async () => {
  await inTree({ 'e.db': 'no database' }, async (cwd) => {
    const corrupt = await ensure(cwd);
    assert.deepEqual([corrupt.code, corrupt.stdout], [65, '']);
    assert.match(corrupt.stderr, /^ensure: .*e\.db is not a SQLite database/);
    const flag = await ensure(cwd, [], ['--', '--port', 'x']);
    assert.equal(flag.code, 2);
    assert.match(flag.stderr, /--port must be an integer/);
    assert.equal((await ensure(cwd, ['--program', '/nonexistent'])).code, 1);
    for (const wrong of [['--db'], ['--db', 'e.db', '--runtime', 'go'], ['--db', 'e.db', '--', '--db=x'], []])
      assert.equal((await run('ensure', wrong, { cwd })).code, 2, wrong.join(' '));
    assert.deepEqual(readdirSync(cwd), ['e.db']);
  });
});

test('ensure with a new token prints a login URL that works once', async () => {
  await inTree({}, async (cwd) => {
    const flags = [...SERVER_FLAGS, '--token-file', `${cwd}/token`, '--new-token'];
    const { url, login_url } = found(await ensure(cwd, [], flags));
    assert.equal((await fetch(`${url}/api/events`)).status, 401);
    const opened = await fetch(login_url!, { redirect: 'manual' });
    assert.equal(opened.status, 303);
    assert.equal((await fetch(login_url!, { redirect: 'manual' })).status, 401);
    assert.equal(found(await ensure(cwd, [], flags)).login_url, undefined, 'a code is printed once');
    const [token, log] = ['token', 'e.db.log'].map((name) => readFileSync(`${cwd}/${name}`, 'utf8').trim());
    assert.equal(log!.includes(token!), false);
    assert.equal(log!.includes(new URL(login_url!).searchParams.get('code')!), false);
    assert.equal((await stop(cwd)).code, 0);
  });
});

test('ensure and stop are commands of twin-ingest', async () => {
  await inTree({}, async (cwd) => {
    const { code, stdout } = await run('main', ['ensure', '--db', 'e.db', ...SERVER_FLAGS], { cwd });
    assert.equal(code, 0);
    assert.equal(await isServing(stdout.trim()), true);
    assert.equal((await run('main', ['stop', '--db', 'e.db'], { cwd })).code, 0);
    assert.equal(await isServing(stdout.trim()), false);
    assert.match(
      (await run('main', ['service', '--help'], { cwd })).stdout,
      /^Usage: \.\/twin-ingest service/,
    );
  });
});

test('stop tells a server that does not answer from none', async () => {
  await inTree({}, async (cwd) => {
    const { pid } = found(await ensure(cwd));
    process.kill(pid, 'SIGSTOP');
    try {
      const frozen = await stop(cwd);
      assert.equal(frozen.code, 1);
      assert.match(frozen.stderr, new RegExp(`pid ${pid} holds .*e\\.db and does not answer`));
      assert.deepEqual(
        readdirSync(cwd).filter((name) => name.includes('.stop')),
        [],
      );
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    assert.equal((await stop(cwd)).code, 0);
  });
});

test('stop ends no process that only has the pid of a server', async () => {
  await inTree({}, async (cwd) => {
    const other = bystander();
    const owner = `${cwd}/e.db.owner`;
    const answering = createServer((_request, response) => response.end('{"status":"ok"}'));
    try {
      writeFileSync(owner, JSON.stringify({ pid: other.pid, url: 'http://127.0.0.1:1' }));
      const dead = await stop(cwd);
      assert.deepEqual([dead.code, dead.stdout], [0, `no server holds ${cwd}/e.db\n`]);
      // Another program has the port of the crashed server too.
      await new Promise<void>((resolve) => answering.listen(0, '127.0.0.1', resolve));
      const { port } = answering.address() as AddressInfo;
      writeFileSync(owner, JSON.stringify({ pid: other.pid, url: `http://127.0.0.1:${port}` }));
      const refused = await stop(cwd);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /^stop: no server took the request/);
      assert.equal(existsSync(`${cwd}/e.db.stop`), false);
      assert.deepEqual([other.exitCode, other.signalCode], [null, null], 'it still runs');
    } finally {
      other.kill('SIGKILL');
      answering.close();
      answering.closeAllConnections();
    }
  });
});
