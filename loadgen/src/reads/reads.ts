/**
 * Measures the time of pages of a large database, alone and during eight of the longest.
 *
 * Invariants: the server in Rust makes the database once, in `.bench/`. No measurement changes it.
 */
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { ROOT, TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { quantile } from '../analyse/statistics.ts';
import { post, requestsOf } from '../ladders/load.ts';
import { LONGEST, PAGES, SEARCH, STATISTICS, storedEvent } from './pages.ts';

const BATCH = 5_000;
const WARM_UPS = 10;
const REQUESTS = 200;
const READERS = 8;
/** Number of searches through all rows. */
const SEARCHES = 5;
/** Pause between two requests for the statistics, in milliseconds. */
const PAUSE_MS = 20;

/** Measures both servers on a database with this many events, and prints a line for each kind of page. */
export async function runReads(stored: number, lifetime: Lifetime): Promise<undefined> {
  const file = await storedFile(stored, lifetime);
  for (const name of TARGET_NAMES) {
    const server = await startServer(name, { flags: ['--db', file] });
    const stop = lifetime.add(() => server.stop());
    await measure(name, new ApiClient(server.port), lifetime.signal);
    await stop();
  }
}

async function measure(name: TargetName, client: ApiClient, signal: AbortSignal): Promise<void> {
  const read = async (path: string): Promise<string> => {
    signal.throwIfAborted();
    const { status, text } = await client.get(path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
    return text;
  };
  const readAll = async (path: string): Promise<void> => {
    for (let before = ''; ; ) {
      const { next } = JSON.parse(await read(path + before)) as { readonly next: number | null };
      if (next === null) return;
      before = `&before=${next}`;
    }
  };
  const print = (about: string, times: readonly number[]) => {
    const sorted = Float64Array.from(times).sort();
    const [p50, p99] = [0.5, 0.99].map((q) => quantile(sorted, q).toFixed(1));
    process.stdout.write(`${name}  ${about.padEnd(52)} p50 ${p50} ms, p99 ${p99} ms\n`);
  };
  for (const [about, path] of PAGES) {
    await timesOf(WARM_UPS, () => read(path));
    print(about, await timesOf(REQUESTS, () => read(path)));
  }
  print(`all pages of: ${SEARCH[0]}`, await timesOf(SEARCHES, () => readAll(SEARCH[1])));
  let isOver = false;
  const readUntilOver = async (): Promise<number[]> => {
    const times: number[] = [];
    while (!isOver) times.push(...(await timesOf(1, () => read(LONGEST[1]))));
    return times;
  };
  const [statistics, ...pages] = await Promise.all([
    timesOf(REQUESTS, () => read(STATISTICS[1]), PAUSE_MS).finally(() => {
      isOver = true;
    }),
    ...Array.from({ length: READERS }, readUntilOver),
  ]);
  print(`${STATISTICS[0]}, during ${READERS} of the longest pages`, statistics);
  print(`each of these ${READERS} pages`, pages.flat());
  client.close();
}

/** Calls `once` this many times in sequence, each after a pause. Returns the time of each call in milliseconds. */
function timesOf(count: number, once: () => Promise<unknown>, pause_ms?: number): Promise<number[]> {
  return Array.fromAsync({ length: count }, async () => {
    if (pause_ms !== undefined) await pause(pause_ms);
    const begun = performance.now();
    await once();
    return performance.now() - begun;
  });
}

/** Returns the path of a database with this many events; makes it if it does not exist. */
async function storedFile(events: number, lifetime: Lifetime): Promise<string> {
  const path = `${ROOT}.bench/reads-${events}.db`;
  if (existsSync(path)) return path;
  process.stdout.write(`making a database of ${events} events\n`);
  mkdirSync(`${ROOT}.bench`, { recursive: true });
  const made = `${ROOT}.bench/reads-${events}-${process.pid}.db`;
  const server = await startServer('rs', { flags: ['--db', made] });
  const stop = lifetime.add(() => server.stop());
  const client = new ApiClient(server.port);
  await post(client, requestsOf(0, events, BATCH, storedEvent), lifetime.signal);
  client.close();
  await stop();
  renameSync(made, path);
  return path;
}
