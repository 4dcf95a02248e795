/** Tests that one server holds a database (rule STO-02), whichever runtime it has. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { failedStart, plainLines } from '@twin-ingest/testkit/servers/failed-start.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import Database from 'better-sqlite3';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const LOCK: ScenarioFile = {
  name: 'lock',
  about: 'one server per database',
  scenarios: [
    {
      name: 'a second server of the same kind exits 75',
      rules: ['STO-02', 'STO-11'],
      uses: 'each',
      run: (context) => second(context, context.target),
    },
    {
      name: 'a second server of the other kind exits 75',
      rules: ['STO-02', 'STO-11'],
      uses: 'both',
      run: otherKind,
    },
    { name: 'after kill -9 the next server starts at once', rules: ['STO-02'], uses: 'each', run: afterKill },
    {
      name: 'a message names only a server that runs and wrote its pid and URL itself',
      rules: ['STO-11'],
      uses: 'each',
      run: untrusted,
    },
    {
      name: 'a start replaces the files of a crashed server, and a clean exit removes them',
      rules: ['STO-11', 'STO-09'],
      uses: 'each',
      run: ownerFile,
    },
  ],
};

async function otherKind(context: ScenarioContext): Promise<void> {
  await second(context, context.other);
}

async function second(context: ScenarioContext, target: TargetName): Promise<void> {
  const first = await context.start();
  const exit = await failedStart(target, ['--db', context.db()], context.folder);
  assert.equal(exit.code, 75, exit.stderr);
  assert.equal(exit.stdout, '');
  assert.ok(
    exit.stderr.includes(
      `${context.db()} is in use by the server with pid ${first.pid} at ${first.url}; stop that one first or name another file with --db`,
    ),
    exit.stderr,
  );
  const reply = await context.client(first).post('/api/events', event());
  assert.equal(reply.status, 201, 'the first server goes on');
}

async function afterKill(context: ScenarioContext): Promise<void> {
  const [first, first_ms] = await timedStart(context);
  await context.client(first).ingest([event()]);
  await first.kill();
  const [next, next_ms] = await timedStart(context);
  // A start that waits for a lock takes 5 s longer. Other load delays both starts equally.
  assert.ok(next_ms - first_ms < 4_000, `no waiting for the lock of a dead server: ${next_ms} ms`);
  const reply = await context.client(next).get('/api/events/1');
  assert.equal(reply.status, 200);
}

/** Tests a held lock with a wrong owner file. */
async function untrusted(context: ScenarioContext): Promise<void> {
  const crashed = await context.start();
  await crashed.kill();
  const owner = ownerPath(context);
  const left = readFileSync(owner, 'utf8');
  // The process that holds the lock is not a server, so the owner file is not replaced.
  const lock = new Database(`${context.db()}.lock`);
  context.atEnd(() => lock.close());
  lock.exec('BEGIN EXCLUSIVE');
  const { url } = crashed;
  const runs = process.pid;
  for (const text of [
    left,
    '',
    '{"pid":',
    JSON.stringify({ pid: runs }),
    JSON.stringify({ pid: -runs, url }),
    JSON.stringify({ pid: String(runs), url }),
    JSON.stringify({ pid: runs, url: 'https://example.org' }),
    JSON.stringify({ pid: runs, url: 'http://127.0.0.1:1\u001b[2J' }),
  ]) {
    writeFileSync(owner, text);
    const exit = await failedStart(context.target, ['--db', context.db()], context.folder);
    assert.equal(exit.code, 75, exit.stderr);
    assert.deepEqual(
      plainLines(exit.stderr),
      [`${context.db()} is in use by another server; stop that one first or name another file with --db`],
      text,
    );
  }
  writeFileSync(owner, JSON.stringify({ pid: runs, url }));
  const exit = await failedStart(context.target, ['--db', context.db()], context.folder);
  assert.ok(exit.stderr.includes(`in use by the server with pid ${runs} at ${url};`), exit.stderr);
}

async function ownerFile(context: ScenarioContext): Promise<void> {
  const owner = ownerPath(context);
  // The pid belongs to a running process that is not a server, so a start must replace this file.
  writeFileSync(owner, JSON.stringify({ pid: process.pid, url: 'http://127.0.0.1:1' }), { mode: 0o644 });
  const server = await context.start();
  assert.deepEqual(JSON.parse(readFileSync(owner, 'utf8')), { pid: server.pid, url: server.url });
  assert.equal(statSync(owner).mode & 0o777, 0o600);
  assert.equal((await server.stop()).code, 0);
  assert.ok(!existsSync(owner), 'a clean exit removes it');
}

function ownerPath(context: ScenarioContext): string {
  return `${context.db()}.owner`;
}

async function timedStart(context: ScenarioContext): Promise<[RunningServer, number]> {
  const begun = performance.now();
  return [await context.start(), performance.now() - begun];
}
