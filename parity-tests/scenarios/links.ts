/** Tests one file under several names: two servers never write to it at once (rule STO-02). */
import assert from 'node:assert/strict';
import { existsSync, linkSync, lstatSync, mkdirSync, statSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { event, type Ingested } from '@twin-ingest/testkit/http/api-client.ts';
import { failedStart } from '@twin-ingest/testkit/servers/failed-start.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const LINKS: ScenarioFile = {
  name: 'links',
  about: 'one file under several names',
  scenarios: [
    {
      name: 'a symbolic link to a file in use is refused, by either server',
      rules: ['STO-02', 'PRO-06'],
      uses: 'each',
      run: symbolicLink,
    },
    {
      name: 'a file with two hard links is refused',
      rules: ['STO-02', 'PRO-06'],
      uses: 'each',
      run: hardLink,
    },
    {
      name: 'a dangling symbolic link creates its destination',
      rules: ['STO-02', 'STO-09'],
      uses: 'each',
      run: danglingLink,
    },
    { name: 'a symbolic link to itself is refused', rules: ['STO-02', 'PRO-06'], uses: 'each', run: loop },
  ],
};

async function symbolicLink(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  await context.client(server).ingest([event({ event_id: 'once' })]);
  symlinkSync(context.db(), context.db('link.db'));
  mkdirSync(join(context.folder, 'other'));
  symlinkSync('../link.db', context.db('other/chain.db'));
  symlinkSync(context.folder, context.db('folder'));
  for (const name of ['link.db', 'other/chain.db', 'folder/events.db']) {
    for (const target of [context.target, context.other]) {
      const exit = await failedStart(target, ['--db', context.db(name), '--port', '0'], context.folder);
      assert.equal(exit.code, 75, `${target} ${name}: ${exit.stderr}`);
      assert.ok(
        exit.stderr.includes(
          `${context.db()} is in use by the server with pid ${server.pid} at ${server.url};`,
        ),
        exit.stderr,
      );
    }
    assert.ok(!existsSync(`${context.db(name)}.lock`) || name.startsWith('folder/'), 'no lock of that name');
  }
  await server.stop();
  // The link leads to the same file, so the server knows the id.
  const next = await context.start({ db: context.db('other/chain.db') });
  const again = await context.client(next).post('/api/events', event({ event_id: 'once' }));
  assert.equal(again.json<Ingested>().duplicates, 1);
}

async function hardLink(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await client.ingest([event()]);
  linkSync(context.db(), context.db('link.db'));
  const refused = async (name: string): Promise<void> => {
    const exit = await failedStart(context.target, ['--db', context.db(name), '--port', '0'], context.folder);
    assert.equal(exit.code, 65, exit.stderr);
    assert.ok(
      exit.stderr.includes(
        `${context.db(name)} has 2 hard links, and a server on another one would lose events; copy it to a file of its own or remove its other names`,
      ),
      exit.stderr,
    );
  };
  await refused('link.db');
  await client.ingest([event()]);
  await server.stop();
  await refused('events.db');
  unlinkSync(context.db('link.db'));
  const next = await context.start();
  assert.deepEqual((await context.client(next).ingest([event()])).ids, [3]);
}

async function danglingLink(context: ScenarioContext): Promise<void> {
  const target = join(context.folder, 'elsewhere', 'real.db');
  symlinkSync('elsewhere/real.db', context.db());
  const server = await context.start();
  assert.deepEqual((await context.client(server).ingest([event()])).ids, [1]);
  await server.stop();
  assert.ok(lstatSync(context.db()).isSymbolicLink(), 'the link is left as it was');
  assert.equal(statSync(target).mode & 0o777, 0o600);
  assert.equal(statSync(join(context.folder, 'elsewhere')).mode & 0o777, 0o700);
}

async function loop(context: ScenarioContext): Promise<void> {
  symlinkSync('events.db', context.db());
  const exit = await failedStart(context.target, ['--db', context.db(), '--port', '0'], context.folder);
  assert.equal(exit.code, 65, exit.stderr);
  assert.ok(exit.stderr.includes(`${context.db()} cannot be opened`), exit.stderr);
}
