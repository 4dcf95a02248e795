/** Tests the bulk inserts: both programs store every row, and a program that does not is a failure. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { TARGET_NAMES as TARGETS, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { prepareCeiling, runBulk } from '../src/ceilings/ceilings.ts';
import { requestsOf } from '../src/load/bodies.ts';
import { writeBodies } from '../src/load/drivers/program.ts';
import { loadPool, type PoolSource } from '../src/load/pool.ts';
import { CEILING_PROGRAMS, REAL_CONTENDERS } from '../src/run/contenders.ts';
import { storedRows } from '../src/verify/audit/rows.ts';
import { failsWith } from './fake-targets.ts';
import { ANYWHERE } from './listening-server.ts';
import { folder, lifetime } from './scratch.ts';

const EVENTS = 2_500;
const GROUP_EVENTS = 400;
const SOURCE: PoolSource = { corpus: undefined, seed: 7, most: 1_000 };
const missing = TARGETS.filter((name) => !existsSync(CEILING_PROGRAMS[name].artefact));
const skip =
  missing.length > 0 && `not built: ${missing.map((name) => CEILING_PROGRAMS[name].build).join(' ')}`;

const launch = { contenders: REAL_CONTENDERS, placement: ANYWHERE, lifetime };
const LOAD = { source: SOURCE, events: EVENTS, group_events: GROUP_EVENTS, durability: 'process' } as const;

type Ids = Readonly<Partial<Record<'event_id' | 'session_id', unknown>>>;

test('both programs store every event of every group in order', { skip }, async () => {
  const groups = join(folder, 'groups');
  const shape = { endpoint: 'batch', batchSize: GROUP_EVENTS } as const;
  const requests = requestsOf(await loadPool(SOURCE), shape, { first: 0, count: EVENTS });
  await writeBodies(groups, requests, lifetime.signal);
  const bodies = readFileSync(groups, 'utf8').trimEnd().split('\n');
  assert.equal(bodies.length, Math.ceil(EVENTS / GROUP_EVENTS));
  const sent = bodies.flatMap((body) => (JSON.parse(body) as { readonly events: Ids[] }).events);
  const rowsOf = async (name: TargetName) => {
    const database = join(folder, `${name}.db`);
    const flags = ['--groups', groups, '--durability', 'power', '--max-metadata-bytes', '256'];
    const { duration_ms, cpu_us } = await runBulk(launch, name, database, flags, EVENTS);
    assert.ok(duration_ms > 0 && cpu_us > 0);
    return [...storedRows(database)];
  };
  const [rs, ts] = await Promise.all(TARGETS.map(rowsOf));
  const idsOf = (rows: readonly Ids[]) => rows.map((row) => `${row.event_id ?? ''} ${row.session_id}`);
  assert.deepEqual(idsOf(rs!), idsOf(sent));
  assert.deepEqual(rs, ts);
});

test('runs go A B B A, and the figures are those of the samples', { skip }, async () => {
  const inserts = await prepareCeiling(launch, TARGETS, LOAD);
  const seen: number[] = [];
  for (let round = 0; round < 2; round++) await inserts.repeat((done) => seen.push(done));
  assert.deepEqual(seen, [1, 2, 1, 2]);
  const { samples, servers } = inserts.ceiling();
  const order = samples.map(({ target }) => target);
  assert.deepEqual(order, ['rs', 'ts', 'ts', 'rs']);
  for (const name of TARGETS) {
    const own = samples.filter(({ target }) => target === name);
    const { events_per_s, cpu_us_per_event } = servers[name]!;
    assert.equal(events_per_s.max, Math.max(...own.map(({ duration_ms }) => EVENTS / (duration_ms / 1000))));
    assert.equal(cpu_us_per_event.min, Math.min(...own.map(({ cpu_us }) => cpu_us / EVENTS)));
  }
});

/** Runs the source in place of both programs. */
async function insertWith(source: string, own = lifetime): Promise<void> {
  const program = { ...CEILING_PROGRAMS.ts, args: ['-e', source, '--'] };
  const contenders = { ...REAL_CONTENDERS, ceilings: { rs: program, ts: program } };
  const inserts = await prepareCeiling({ ...launch, contenders, lifetime: own }, TARGETS, LOAD);
  await inserts.repeat(() => undefined);
}

const says = (stored: number) =>
  `console.log(JSON.stringify({ events: ${EVENTS}, stored: ${stored}, duration_ms: 1, cpu_us: 1 }))`;

/** Creates a database without a row. */
const EMPTY = `
  const Database = require(${JSON.stringify(createRequire(import.meta.url).resolve('better-sqlite3'))});
  new Database(process.argv[process.argv.indexOf('--db') + 1]).exec('CREATE TABLE events_readable (id INTEGER)')
`;

for (const [what, source, text] of [
  ['ends with another code', "console.error('no room');process.exitCode = 1", /code 1 instead .*\nno room/],
  ['is killed', "process.kill(process.pid, 'SIGKILL')", /ended with SIGKILL/],
  ['reports nothing', EMPTY, /did not report/],
  ['stores fewer', `${EMPTY};${says(1)}`, /2500 read, 1 stored/],
  ['reports what it did not do', `${EMPTY};${says(EVENTS)}`, /0 rows found/],
  ['leaves no database', says(EVENTS), /left no database/],
] as const) {
  test(`a program that ${what} fails the run`, async () => {
    await assert.rejects(insertWith(source), failsWith('ceiling_failed', text));
  });
}

test('an interruption ends the program that runs', async () => {
  const own = new Lifetime();
  const marker = join(folder, 'pid');
  const source = `fs.writeFileSync(${JSON.stringify(marker)}, String(process.pid));setInterval(() => {}, 1000)`;
  const ended = assert.rejects(insertWith(source, own), /interrupted/);
  while (!existsSync(marker) || readFileSync(marker, 'utf8') === '') await new Promise(setImmediate);
  own.interrupt();
  await ended;
  await own.end();
  assert.throws(() => process.kill(Number(readFileSync(marker, 'utf8')), 0), /ESRCH/);
});
