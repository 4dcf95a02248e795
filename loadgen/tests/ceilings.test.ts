/** Tests the bulk inserts: both programs store every row, and a program that does not is a failure. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { TARGET_NAMES as TARGETS, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import Database from 'better-sqlite3';
import { type CeilingOptions, prepareCeiling, writeGroups } from '../src/ceilings/ceiling.ts';
import { CEILING_PROGRAMS, type CeilingProgram, runBulk } from '../src/ceilings/programs.ts';
import { BenchFailure } from '../src/failure.ts';
import { loadPool, type PoolSource } from '../src/load/pool.ts';
import { ANYWHERE } from './listening-server.ts';
import { lifetime } from './scratch.ts';

const EVENTS = 2_500;
const GROUP_EVENTS = 400;
const SOURCE: PoolSource = { corpus: undefined, seed: 7, most: 1_000 };
const missing = TARGETS.filter((name) => !existsSync(CEILING_PROGRAMS[name].artefact));
const skip =
  missing.length > 0 && `not built: ${missing.map((name) => CEILING_PROGRAMS[name].build).join(' ')}`;

const options = (more: Partial<CeilingOptions> = {}): CeilingOptions => ({
  targets: TARGETS,
  source: SOURCE,
  events: EVENTS,
  group_events: GROUP_EVENTS,
  durability: 'process',
  programs: CEILING_PROGRAMS,
  placement: ANYWHERE,
  lifetime,
  ...more,
});

const insertOnce = async (more: Partial<CeilingOptions>) =>
  (await prepareCeiling(options(more))).repeat(() => undefined);

type Row = Readonly<Record<string, unknown>>;

/** Returns the result of a statement on a closed database. */
function read(file: string, sql: string): Row[] {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare<[], Row>(sql).all();
  } finally {
    db.close();
  }
}

test('both store every event of every group, and every row of a file that either wrote', {
  skip,
}, async () => {
  const { path } = await lifetime.temporaryFolder();
  const groups = join(path, 'groups');
  await writeGroups(groups, await loadPool(SOURCE), EVENTS, GROUP_EVENTS, lifetime.signal);
  const bodies = readFileSync(groups, 'utf8').trimEnd().split('\n');
  assert.equal(bodies.length, Math.ceil(EVENTS / GROUP_EVENTS));
  const sent = bodies.flatMap((body) => (JSON.parse(body) as { readonly events: Row[] }).events);
  const shared = ['--durability', 'power', '--max-metadata-bytes', '256'];
  const run = (name: TargetName, database: string, ...flags: string[]) =>
    runBulk(name, CEILING_PROGRAMS[name], {
      ...{ database, events: EVENTS, lifetime, wrapper: [] },
      flags: [...flags, ...shared],
    });
  const idsOf = (rows: readonly Row[]) => rows.map((row) => `${row.event_id ?? ''} ${row.session_id}`);
  const found: Row[][] = [];
  for (const name of TARGETS) {
    const stored = join(path, `${name}.db`);
    const sample = await run(name, stored, '--groups', groups);
    assert.ok(sample.events === EVENTS && sample.duration_ms > 0 && sample.cpu_us > 0);
    const rows = read(stored, 'SELECT * FROM events_readable ORDER BY id');
    const times = new Set(rows.map(({ created_at }) => created_at));
    assert.ok(times.size <= bodies.length, 'the rows of a group have one time');
    assert.deepEqual(idsOf(rows), idsOf(sent));
    const summarised = rows.filter((row) => row.payload_truncated === 1).length;
    assert.ok(summarised > 0 && summarised < EVENTS, 'metadata above the flag is summarised');
    found.push(rows.map((row) => ({ ...row, created_at: '' })));
    for (const other of TARGETS) {
      const database = join(path, `${name}-${other}.db`);
      // The number of rows is a multiple of neither the groups nor the chunks.
      await run(other, database, '--rows', stored, '--group', '150');
      for (const view of ['events', 'events_readable']) {
        const sql = `SELECT * FROM ${view} ORDER BY id`;
        assert.deepEqual(read(database, sql), read(stored, sql));
      }
      for (const table of ['stats', 'hours', 'event_blocks', 'event_spans', 'event_key_runs'])
        assert.deepEqual(read(database, `SELECT * FROM ${table}`), [], table);
    }
  }
  assert.deepEqual(found[0], found[1]);
});

test('runs go A B B A, and the figures are those of the samples', { skip }, async () => {
  const seen: number[] = [];
  const inserts = await prepareCeiling(options());
  for (let round = 0; round < 2; round++) await inserts.repeat((done) => seen.push(done));
  assert.deepEqual(seen, [1, 2, 1, 2]);
  const ceiling = inserts.ceiling();
  assert.deepEqual(
    ceiling.samples.map(({ target }) => target),
    ['rs', 'ts', 'ts', 'rs'],
  );
  assert.equal(ceiling.payload_sha256, (await loadPool(SOURCE)).facts.sha256);
  assert.deepEqual([ceiling.durability, ceiling.group_events], ['process', GROUP_EVENTS]);
  for (const name of TARGETS) {
    const own = ceiling.samples.filter((sample) => sample.target === name);
    const { events_per_s, cpu_us_per_event } = ceiling.servers[name]!;
    assert.equal(events_per_s.samples, 2);
    assert.equal(events_per_s.max, Math.max(...own.map((sample) => EVENTS / (sample.duration_ms / 1000))));
    assert.equal(cpu_us_per_event.min, Math.min(...own.map((sample) => sample.cpu_us / EVENTS)));
  }
});

test('a wrong flag is exit 2 and a sentence, and nothing is made', { skip }, async () => {
  const { path: cwd } = await lifetime.temporaryFolder();
  const wrong = [
    [],
    ['--port', '1'],
    ['--db', 'x', '--groups', 'y', '--durability', 'never'],
    ['--db', 'x', '--groups', 'y', '--groups', 'y', '--durability', 'power'],
    ['--db', 'x', '--groups', 'y', '--durability', 'power', '--max-metadata-bytes', '1'],
    ['--db', 'x', '--durability', 'power'],
    ['--db', 'x', '--rows', 'y', '--durability', 'power'],
    ['--db', 'x', '--rows', 'y', '--group', '0', '--durability', 'power'],
    ['--db', 'x', '--groups', 'y', '--rows', 'y', '--group', '1', '--durability', 'power'],
  ];
  for (const name of TARGETS) {
    const { command, args } = CEILING_PROGRAMS[name];
    for (const flags of wrong) {
      const { status, stdout, stderr } = spawnSync(command, [...args, ...flags], { cwd, encoding: 'utf8' });
      assert.deepEqual([status, stdout], [2, ''], `${name} ${flags.join(' ')}`);
      assert.match(stderr, /^\S.*\n$/);
    }
  }
  assert.deepEqual(readdirSync(cwd), []);
});

const program = (source: string): CeilingProgram => ({
  command: process.execPath,
  args: ['-e', source, '--'],
  artefact: process.execPath,
  sources: [],
  build: null,
});

const SAYS = `console.log(JSON.stringify({ events: ${EVENTS}, stored: ${EVENTS}, duplicates: 0, duration_ms: 1, cpu_us: 1 }))`;

/** Program that creates a database without a row. */
const EMPTY = `
  const Database = require(${JSON.stringify(createRequire(import.meta.url).resolve('better-sqlite3'))});
  new Database(process.argv[process.argv.indexOf('--db') + 1]).exec('CREATE TABLE events_readable (id INTEGER)')
`;

const NO_ROOM = program("console.error('no room');process.exitCode = 1");
const FEWER = program(`${EMPTY};${SAYS.replace(`stored: ${EVENTS}`, 'stored: 1')}`);
const NOWHERE = { ...program(''), command: join(tmpdir(), 'twin-ingest-no-such-program') };

for (const [what, one, text] of [
  ['ends with another code', NO_ROOM, /code 1 instead of 0\nno room/],
  ['is killed', program("process.kill(process.pid, 'SIGKILL')"), /ended with SIGKILL/],
  ['says something else', program("console.log('{}')"), /did not say/],
  ['stores fewer', FEWER, /2500 read, 1 stored/],
  ['says what it did not do', program(`${EMPTY};${SAYS}`), /0 rows found/],
  ['leaves no database', program(SAYS), /left no database/],
  ['cannot be started', NOWHERE, /could not be started/],
] as const) {
  test(`a program that ${what} fails the run`, async () => {
    await assert.rejects(insertOnce({ programs: { rs: one, ts: one } }), (error: unknown) => {
      assert.ok(error instanceof BenchFailure);
      assert.equal(error.code, 'ceiling_failed');
      assert.match([error.message, ...error.details].join('\n'), text);
      return true;
    });
  });
}

test('an interruption ends the program that runs, and its folder goes with it', async () => {
  const { path } = await lifetime.temporaryFolder();
  const marker = join(path, 'started');
  // The rename makes the file appear complete, so that the test never reads half of it.
  const sleeper = program(`
    const said = JSON.stringify({ pid: process.pid, argv: process.argv });
    fs.writeFileSync(${JSON.stringify(`${marker}.new`)}, said);
    fs.renameSync(${JSON.stringify(`${marker}.new`)}, ${JSON.stringify(marker)});
    setInterval(() => {}, 1000);
  `);
  const own = new Lifetime();
  const programs = { rs: sleeper, ts: sleeper };
  const measuring = insertOnce({ programs, events: 10, lifetime: own });
  const ended = assert.rejects(measuring, /interrupted/);
  while (!existsSync(marker)) await setImmediate();
  const { pid, argv } = JSON.parse(readFileSync(marker, 'utf8')) as { pid: number; argv: string[] };
  const folder = dirname(argv[argv.indexOf('--db') + 1]!);
  assert.ok(existsSync(folder));
  own.interrupt();
  await ended;
  await own.end();
  assert.throws(() => process.kill(pid, 0), /ESRCH/);
  assert.ok(!existsSync(folder));
});
