/**
 * One server per database (rule STO-02), whichever runtime it has.
 */
import assert from 'node:assert/strict';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { failedStart } from '@twin-ingest/testkit/servers/failed-start.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const LOCK: ScenarioFile = {
  name: 'lock',
  about: 'one server per database',
  scenarios: [
    {
      name: 'a second server of the same kind exits 65',
      rules: ['STO-02', 'PRO-06'],
      uses: 'each',
      run: (context) => second(context, context.target),
    },
    {
      name: 'a second server of the other kind exits 65',
      rules: ['STO-02', 'PRO-06'],
      uses: 'both',
      run: otherKind,
    },
    { name: 'after kill -9 the next server starts at once', rules: ['STO-02'], uses: 'each', run: afterKill },
  ],
};

async function otherKind(context: ScenarioContext): Promise<void> {
  await second(context, context.other);
}

async function second(context: ScenarioContext, target: TargetName): Promise<void> {
  const first = await context.start();
  const exit = await failedStart(target, ['--db', context.db()], context.folder);
  assert.equal(exit.code, 65, exit.stderr);
  assert.equal(exit.stdout, '');
  assert.ok(
    exit.stderr.includes(
      `${context.db()} is in use by another server; stop that one first or name another file with --db`,
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
  // A wait for a lock takes 5 s; what the machine's other load adds, it adds to both.
  assert.ok(next_ms - first_ms < 4_000, `no waiting for the lock of a dead server: ${next_ms} ms`);
  const reply = await context.client(next).get('/api/events/1');
  assert.equal(reply.status, 200);
}

async function timedStart(context: ScenarioContext): Promise<[RunningServer, number]> {
  const begun = performance.now();
  return [await context.start(), performance.now() - begun];
}
