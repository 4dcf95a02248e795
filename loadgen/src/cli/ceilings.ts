/**
 * `pnpm bench:ceilings`: the ceilings of each server on this machine, part by part.
 *
 * The parts are a bulk insert by the server's own store, scanning with checking, and HTTP. Each part runs for both
 * servers in the order A B B A, and nothing else runs meanwhile.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { buildStale } from '@twin-ingest/testkit/servers/build.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { ROOT, TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type BulkSample, figuresOf } from '../ceilings/ceiling.ts';
import { writeGroups } from '../ceilings/groups.ts';
import { ceilingTable, type Part } from '../ceilings/part.ts';
import { type BulkFigures, CEILING_PROGRAMS, HTTP_PROGRAMS, runBulk } from '../ceilings/programs.ts';
import { closedLoop } from '../load/drivers/process-driver.ts';
import { loadPool, type PoolSource } from '../load/pool.ts';
import { readEnvironment } from '../observe/environment.ts';
import { createProbe } from '../observe/probe.ts';
import { type Given, parseCommand, shownFlags, type Usage } from '../plan/parse.ts';
import { choosePlacement } from '../plan/placement.ts';
import { inTurn } from '../plan/turns.ts';
import { readableJson } from '../result/json.ts';
import { runCommand } from './run-command.ts';

const CEILINGS: Usage<'ceilings'> = {
  name: 'ceilings',
  about: `Measures the ceilings of both servers: bulk inserts, parsing alone, HTTP alone. Builds their programs first.
A part has 1,000,000 events unless --events says otherwise.`,
  exit: 'Exit: 0 measured, 1 a program failed, 2 a flag is wrong, 130 interrupted.',
};
const EVENTS = 1_000_000;
const GROUP_EVENTS = 2_000;
const HTTP_REQUESTS = 20_000;
const HTTP_WARM_UP = 2_000;
const BATCH = 50;

interface Wanted {
  readonly events: number;
  readonly rounds: number;
  readonly pool: PoolSource;
  readonly out: string;
}

function finish({ events = EVENTS, rounds, corpus, out }: Given<'ceilings'>): Wanted {
  const pool = { corpus, seed: 1, most: 200_000 };
  return { events, rounds, pool, out: resolve(out ?? `${ROOT}.bench/ceilings.json`) };
}

async function measure(wanted: Wanted, lifetime: Lifetime): Promise<Part[]> {
  const folder = await lifetime.temporaryFolder();
  const groups = join(folder.path, 'groups.ndjson');
  await writeGroups(groups, await loadPool(wanted.pool), wanted.events, GROUP_EVENTS, lifetime.signal);
  const bulks = await both(wanted.rounds, (target) => bulk(target, groups, wanted.events, lifetime));
  const parsed = bulks.map(([target, { events, parse_ms, parse_cpu_us }]) => {
    return [target, { events, duration_ms: parse_ms, cpu_us: parse_cpu_us }] as const;
  });
  const http = await both(wanted.rounds, (target) => httpOnly(target, wanted.pool, lifetime));
  await folder.release();
  return [
    part('store', 'Bulk insert', bulks),
    part('parse', 'Scanning and checking alone', parsed),
    part('http', `HTTP alone, batches of ${BATCH}`, http),
  ];
}

async function both<T>(
  repeats: number,
  run: (target: TargetName) => Promise<T>,
): Promise<(readonly [TargetName, T])[]> {
  const found: (readonly [TargetName, T])[] = [];
  for (const target of inTurn(TARGET_NAMES, repeats)) found.push([target, await run(target)]);
  return found;
}

async function bulk(
  target: TargetName,
  groups: string,
  events: number,
  lifetime: Lifetime,
): Promise<BulkFigures> {
  const fresh = await lifetime.temporaryFolder();
  const figures = await runBulk(target, CEILING_PROGRAMS[target], {
    database: join(fresh.path, 'events.db'),
    source: { groups },
    events,
    durability: 'process',
    wrapper: [],
    lifetime,
  });
  await fresh.release();
  process.stderr.write(`${target} ${Math.round((events / figures.duration_ms) * 1000)} events/s\n`);
  return figures;
}

async function httpOnly(target: TargetName, pool: PoolSource, lifetime: Lifetime): Promise<BulkSample> {
  const server = await startServer(target, {}, HTTP_PROGRAMS[target]);
  const release = lifetime.add(() => server.stop());
  const job = { pool, endpoint: 'batch', batchSize: BATCH, connections: 40, timeout_s: 30 } as const;
  const generator = await closedLoop()(job, { placement: choosePlacement(), lifetime });
  const order = { url: server.url, rate_events_per_s: null };
  const count = HTTP_WARM_UP * BATCH;
  await generator.send({ ...order, range: { first: 0, count } });
  const probe = createProbe();
  const before = await probe(server.pid);
  const range = { first: count, count: HTTP_REQUESTS * BATCH };
  const sent = await generator.send({ ...order, range });
  const after = await probe(server.pid);
  await generator.close();
  await release();
  const cpu_us = (after.cpu_us ?? Number.NaN) - (before.cpu_us ?? Number.NaN);
  return { events: sent.received_events, duration_ms: sent.duration_ms, cpu_us };
}

function part(name: string, title: string, found: readonly (readonly [TargetName, BulkSample])[]): Part {
  const byServer = Map.groupBy(found, ([server]) => server);
  const servers = [...byServer].map(([server, own]) => [server, figuresOf(own.map(([, one]) => one))]);
  return { name, title, servers: Object.fromEntries(servers) };
}

const argv = process.argv.slice(2);
process.exitCode = await runCommand(
  'ceilings',
  parseCommand(CEILINGS, argv, finish),
  async (wanted, lifetime) => {
    // Always built, since only cargo knows whether the programs match the sources.
    const program = { ...CEILING_PROGRAMS.rs, hasOtherBuilds: true };
    const say = (line: string) => void process.stderr.write(`${line}\n`);
    await buildStale([{ name: 'rs', program }], { lifetime, build: true, say });
    const environment = readEnvironment();
    const parts = await measure(wanted, lifetime);
    const result = {
      schema_version: 1,
      created_at: new Date().toISOString(),
      flags: shownFlags(argv),
      environment,
      parts,
    };
    mkdirSync(dirname(wanted.out), { recursive: true });
    writeFileSync(wanted.out, readableJson(result));
    process.stdout.write(ceilingTable(parts));
    return 0;
  },
);
