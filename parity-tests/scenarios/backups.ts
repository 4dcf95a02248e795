/** Tests backups while a server writes: what they hold, and what a kill leaves. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import Database from 'better-sqlite3';
import CONFIG from '../../contract/config.json' with { type: 'json' };
import { attach, sha256 } from '../src/attachment-client.ts';
import { checkLog, isSound } from '../src/check-log.ts';
import { linesOf, runCommand } from '../src/command-line.ts';
import { DeliveryLog } from '../src/delivery-log.ts';
import { startLoad } from '../src/load.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const BACKUPS: ScenarioFile = {
  name: 'backups',
  about: 'copies of a database in use',
  scenarios: [
    {
      name: 'a backup under load has every event that was acknowledged before it',
      rules: ['BAK-01', 'BAK-02', 'BAK-07', 'PRO-15', 'STO-09'],
      uses: 'each',
      run: backUpUnderLoad,
    },
    {
      name: 'a kill during a backup leaves no half copy and loses nothing',
      rules: ['BAK-03', 'STO-03'],
      uses: 'each',
      faults: ['F1'],
      run: killBackups,
    },
  ],
};

const EXITS = CONFIG.exits;
const KILLS = 8;

async function backUpUnderLoad(context: ScenarioContext): Promise<void> {
  const logFile = context.db('delivery.ndjson');
  const log = new DeliveryLog(logFile);
  context.atEnd(() => log.close());
  const server = await context.start();
  const client = context.client(server);
  const content = Buffer.alloc(3 << 20, 'attached');
  await client.ingest([event()]);
  assert.equal(await attach(server.port, 1, 'diff.txt', content), 201);
  const load = startLoad({ port: server.port, log, senders: 2, batch: 20, prefix: 'b' }, { next: 0 });
  await until(() => load.acknowledged.length >= 20, 'twenty batches');
  const before = load.acknowledged.length;
  const cwd = context.folder;
  const made = await runCommand(context.target, ['backup', 'copy.db', '--db', context.db()], { cwd });
  assert.equal(made.exit, 0, made.stderr);
  const [line] = linesOf(made);
  const first = client.post('/api/backup', {});
  const second = await client.post('/api/backup', {});
  const answers = [await first, second];
  await load.stop();
  const created = answers.filter(({ status }) => status === 201);
  assert.ok(created.length >= 1, answers.map(({ text }) => text).join());
  for (const { status, text } of answers) {
    if (status !== 201)
      assert.equal(text, '{"error":"Another backup has not ended yet","code":"backup_running"}');
  }
  const { file, ...figures } = created[0]!.json<{ file: string; newest_id: number; attachments: number }>();
  assert.equal(figures.attachments, 1);
  assert.match(file, /\.backups\/\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z\.db$/);
  assert.equal(statSync(`${context.db()}.backups`).mode & 0o777, 0o700);
  assert.deepEqual(line, {
    event: 'backup',
    file: context.db('copy.db'),
    bytes: statSync(context.db('copy.db')).size,
    newest_id: line!.newest_id,
    attachments: 1,
  });
  await server.stop();
  for (const copy of [context.db('copy.db'), file]) {
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    const verified = await runCommand(context.other, ['verify', copy], { cwd });
    assert.equal(verified.exit, 0, verified.stdout + verified.stderr);
    const db = new Database(copy, { readonly: true });
    const known = new Set(db.prepare('SELECT event_id FROM events_readable').pluck().all());
    db.close();
    for (const id of load.acknowledged.slice(0, before).flat())
      assert.ok(known.has(id), `${id} is in ${copy}`);
  }
  const restored = await runCommand(context.other, ['restore', 'copy.db', '--db', 'new.db'], { cwd });
  assert.equal(restored.exit, 0, restored.stderr);
  const next = await context.start({ db: context.db('new.db') });
  const other = context.client(next);
  const bytes = await other.get(`/api/attachments/${sha256(content)}`);
  assert.equal(bytes.status, 200);
  const [id] = (await other.ingest([event()])).ids;
  assert.equal(id, Number(line!.newest_id) + 1);
  const epochs = [context.db(), context.db('copy.db'), context.db('new.db')].map(epochOf);
  assert.equal(epochs[0], epochs[1]);
  assert.notEqual(epochs[0], epochs[2]);
}

async function killBackups(context: ScenarioContext): Promise<void> {
  const logFile = context.db('delivery.ndjson');
  const log = new DeliveryLog(logFile);
  context.atEnd(() => log.close());
  const server = await context.start();
  const client = context.client(server);
  const text = 'x'.repeat(10_000);
  for (let batch = 0; batch < 20; batch++) {
    await client.ingest(Array.from({ length: 200 }, () => event({ metadata: { text } })));
  }
  const load = startLoad({ port: server.port, log, senders: 2, batch: 20, prefix: 'k' }, { next: 0 });
  const cwd = context.folder;
  const begun = performance.now();
  assert.equal(
    (await runCommand(context.target, ['backup', 'whole.db', '--db', context.db()], { cwd })).exit,
    0,
  );
  const wholeMs = performance.now() - begun;
  let killed = 0;
  for (let round = 0; round < KILLS; round++) {
    const killAfterMs = (wholeMs * (round + 1)) / (KILLS + 1);
    const { exit } = await runCommand(context.target, ['backup', `c${round}.db`, '--db', context.db()], {
      cwd,
      killAfterMs,
    });
    if (exit === null) killed++;
    const copy = context.db(`c${round}.db`);
    const isThere = existsSync(copy);
    // A kill may come after the copy has its name.
    if (exit === 0) assert.equal(isThere, true);
    const again = await runCommand(context.target, ['backup', `c${round}.db`, '--db', context.db()], { cwd });
    assert.equal(again.exit, isThere ? EXITS.target.code : 0, again.stderr);
    assert.equal(existsSync(`${copy}.partial`), false);
    const verified = await runCommand(context.target, ['verify', copy], { cwd });
    assert.equal(verified.exit, 0, verified.stdout);
    rmSync(copy);
  }
  const running = client.post('/api/backup', {}).catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await server.kill();
  await Promise.all([running, load.stop()]);
  const next = await context.start({ target: context.other });
  const made = await context.client(next).post('/api/backup', {});
  assert.equal(made.status, 201, made.text);
  await next.stop();
  const files = readdirSync(`${context.db()}.backups`);
  assert.deepEqual(
    files.filter((name) => !name.endsWith('.db')),
    [],
  );
  context.note(`${killed} of ${KILLS} backups were killed`);
  const check = checkLog(logFile, context.db());
  const { foreign: _, ...faults } = check;
  assert.ok(isSound({ ...faults, foreign: [] }), JSON.stringify(faults));
}

function epochOf(path: string): string {
  const db = new Database(path, { readonly: true });
  const epoch = db.prepare("SELECT value FROM meta WHERE key = 'epoch'").pluck().get();
  db.close();
  return String(epoch);
}
