/**
 * Tests `--exit-with-stdin` (rule PRO-10): a server started by an app ends with the app, also when the app is killed.
 */
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import type { Exit, RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import { eventsQueued, notAccepting } from '../src/conditions.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';
import { holdWriteLock } from '../src/write-lock.ts';

export const INPUT: ScenarioFile = {
  name: 'input',
  about: 'a server that ends with its standard input',
  scenarios: [
    {
      name: 'the end of standard input answers received requests and exits 0',
      rules: ['PRO-10', 'PRO-07'],
      uses: 'each',
      run: drain,
    },
    {
      name: 'an input that is at its end from the start ends the server after its ready line',
      rules: ['PRO-10', 'PRO-01'],
      uses: 'each',
      run: noInput,
    },
    { name: 'a parent that is killed with -9 ends the server', rules: ['PRO-10'], uses: 'each', run: killed },
    {
      name: 'without the flag the end of standard input has no effect',
      rules: ['PRO-10'],
      uses: 'each',
      run: withoutFlag,
    },
  ],
};

async function drain(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--exit-with-stdin'], hasInput: true });
  const client = context.client(server);
  server.input('what comes before the end is not used\n'.repeat(1_000));
  await client.ingest([event()]);
  // Requests wait for the writer when the input ends.
  const lock = holdWriteLock(context.db());
  context.atEnd(() => lock.release());
  const waiting = [1, 2, 3].map((number) =>
    context.client(server).post('/api/events', event({ event_id: `w${number}` })),
  );
  await eventsQueued(client, 3);
  server.endInput();
  await notAccepting(server.port);
  lock.release();
  const statuses = (await Promise.all(waiting)).map((reply) => reply.status);
  assert.deepEqual(statuses, [201, 201, 201]);
  assert.deepEqual(await server.exited, { code: 0, signal: null });
  assertEndedInOrder(context);
}

async function noInput(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--exit-with-stdin'] });
  assert.deepEqual(await server.exited, { code: 0, signal: null });
  assertEndedInOrder(context);
}

/** Program of a parent that only holds the server's standard input. */
const PARENT = `
  const [, command, ...args] = process.argv;
  require('node:child_process').spawn(command, args, { stdio: ['pipe', 'inherit', 'inherit'] });
`;

async function killed(context: ScenarioContext): Promise<void> {
  const server = await context.start({
    env: { INGEST_EXIT_WITH_STDIN: 'true' },
    wrapper: [process.execPath, '-e', PARENT, '--'],
  });
  const { ids } = await context.client(server).ingest([event({ event_id: 'kept' })]);
  assert.deepEqual(ids, [1]);
  assert.deepEqual(await killParent(server), { code: null, signal: 'SIGKILL' });
  await notAccepting(server.port);
  assertEndedInOrder(context);
  const next = await context.start();
  assert.equal((await context.client(next).get('/api/events/1')).status, 200);
}

async function withoutFlag(context: ScenarioContext): Promise<void> {
  const server = await context.start({ hasInput: true });
  const other = await context.start({
    db: context.db('other.db'),
    flags: ['--exit-with-stdin'],
    hasInput: true,
  });
  server.endInput();
  other.endInput();
  // The input of the server with the flag ended later, and that server has detected the end.
  await other.exited;
  assert.equal((await context.client(server).get('/livez')).status, 200);
}

/** Checks what a clean exit leaves: a database without a write-ahead log, and no owner file. */
function assertEndedInOrder(context: ScenarioContext): void {
  const wal = `${context.db()}-wal`;
  assert.ok(!existsSync(wal) || statSync(wal).size === 0, 'no write-ahead log is left');
  assert.ok(!existsSync(`${context.db()}.owner`), 'no owner is left');
}

/** Resolves when the server has closed the output that it shares with its parent. */
async function killParent(server: RunningServer): Promise<Exit> {
  try {
    return await server.kill();
  } catch (error) {
    // The server survives its parent, so the pid of its ready line is still its own.
    process.kill(server.pid, 'SIGKILL');
    throw error;
  }
}
