/**
 * The command `bench:reads`: the time of pages of a large database, alone and during eight of the longest.
 *
 * Invariants: the server in Rust makes the database once, in `.bench/`. No measurement changes it.
 */
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { ROOT, TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { quantile } from '../analyse/statistics.ts';
import type { Usage } from '../plan/parse.ts';
import { LONGEST, PAGES, SEARCH, STATISTICS, storedEvent } from './pages.ts';

export const READS: Usage<'reads'> = {
  name: 'reads',
  about: `Measures pages of events and sessions of both servers, each the worst of its kind, and GET /api/stats during
eight of the longest pages. Build both servers first.`,
  exit: 'Exit: 0 measured, 1 a server or the measurement failed, 2 a flag is wrong, 130 interrupted.',
};

const BATCH = 5_000;
const IN_FLIGHT = 4;
const WARM_UPS = 10;
const REQUESTS = 200;
const READERS = 8;
/** Number of searches through all rows. */
const SEARCHES = 5;
/** Pause between two requests for the statistics, in milliseconds. */
const PAUSE_MS = 20;
export async function runReads(
  { stored }: { readonly stored: number },
  lifetime: Lifetime,
): Promise<undefined> {
  const file = await storedFile(stored, lifetime.signal);
  for (const name of TARGET_NAMES) {
    lifetime.signal.throwIfAborted();
    const server = await startServer(name, { flags: ['--db', file] });
    try {
      await measure(new ApiClient(server.port), lifetime.signal, (about, times) => {
        const sorted = times.toSorted((a, b) => a - b);
        const [p50, p99] = [0.5, 0.99].map((q) => quantile(sorted, q).toFixed(1));
        process.stdout.write(`${name}  ${about.padEnd(52)} p50 ${p50} ms, p99 ${p99} ms\n`);
      });
    } finally {
      await server.stop();
    }
  }
}

async function measure(
  client: ApiClient,
  signal: AbortSignal,
  row: (about: string, times: readonly number[]) => void,
): Promise<void> {
  const times = async (count: number, once: () => Promise<number>) => {
    const all: number[] = [];
    while (all.length < count && !signal.aborted) all.push(await once());
    return all;
  };
  for (const [about, path] of PAGES) {
    await times(WARM_UPS, () => timed(client, path));
    row(about, await times(REQUESTS, () => timed(client, path)));
  }
  row(`all pages of: ${SEARCH[0]}`, await times(SEARCHES, () => searched(client)));
  let isOver = false;
  const pages: number[] = [];
  const readers = Array.from({ length: READERS }, async () => {
    while (!isOver) pages.push(await timed(client, LONGEST[1]));
  });
  const statistics = await times(REQUESTS, async () => {
    await pause(PAUSE_MS);
    return timed(client, STATISTICS[1]);
  });
  isOver = true;
  await Promise.all(readers);
  client.close();
  row(`${STATISTICS[0]}, during ${READERS} of the longest pages`, statistics);
  row(`each of these ${READERS} pages`, pages);
}

/** Returns the time of all pages of a search in milliseconds. */
async function searched(client: ApiClient): Promise<number> {
  const begun = performance.now();
  let page = { next: null as number | null };
  do {
    const before = page.next === null ? '' : `&before=${page.next}`;
    page = JSON.parse(await read(client, SEARCH[1] + before)) as typeof page;
  } while (page.next !== null);
  return performance.now() - begun;
}

/** Returns the time of a request in milliseconds. */
async function timed(client: ApiClient, path: string): Promise<number> {
  const begun = performance.now();
  await read(client, path);
  return performance.now() - begun;
}

async function read(client: ApiClient, path: string): Promise<string> {
  const { status, text } = await client.get(path);
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
  return text;
}

/** Returns the path of a database with this many events; makes it if it does not exist. */
async function storedFile(events: number, signal: AbortSignal): Promise<string> {
  const folder = join(ROOT, '.bench');
  const path = join(folder, `reads-${events}.db`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  process.stdout.write(`making a database of ${events} events\n`);
  const made = join(folder, `reads-${events}-${process.pid}.db`);
  const server = await startServer('rs', { flags: ['--db', made] });
  const client = new ApiClient(server.port);
  let next = 0;
  const send = async (): Promise<void> => {
    for (let first = next; first < events; first = next) {
      signal.throwIfAborted();
      next = Math.min(events, first + BATCH);
      await client.ingest(Array.from({ length: next - first }, (_, index) => storedEvent(first + index)));
    }
  };
  try {
    await Promise.all(Array.from({ length: IN_FLIGHT }, send));
  } finally {
    client.close();
    await server.stop();
  }
  renameSync(made, path);
  return path;
}
