/**
 * The command `bench:reads`: the time of pages of a large database, alone and during eight of the longest.
 *
 * Invariant: the database is made once by the server in Rust, and no measurement changes it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { quantile } from '../analyse/statistics.ts';
import type { Usage } from '../plan/parse.ts';
import { filledFile } from './fill.ts';
import { LONGEST, PAGES, SEARCH, STATISTICS } from './pages.ts';

export const READS: Usage<'reads'> = {
  name: 'reads',
  about: `Measures pages of events and sessions of both servers, each the worst of its kind, and GET /api/stats during
eight of the longest pages. Build both servers first.`,
  exit: 'Exit: 0 measured, 1 a server or the measurement failed, 2 a flag is wrong, 130 interrupted.',
};

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
  const file = await filledFile(stored);
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
  for (const { about, path } of [...PAGES, STATISTICS]) {
    await times(WARM_UPS, () => timed(client, path));
    row(about, await times(REQUESTS, () => timed(client, path)));
  }
  row(`all pages of: ${SEARCH.about}`, await times(SEARCHES, () => searched(client)));
  let isOver = false;
  const pages: number[] = [];
  const readers = Array.from({ length: READERS }, async () => {
    while (!isOver) pages.push(await timed(client, LONGEST.path));
  });
  const statistics = await times(REQUESTS, async () => {
    await pause(PAUSE_MS);
    return timed(client, STATISTICS.path);
  });
  isOver = true;
  await Promise.all(readers);
  client.close();
  row(`${STATISTICS.about}, during ${READERS} of the longest pages`, statistics);
  row(`each of these ${READERS} pages`, pages);
}

/** Returns the time of all pages of a search in milliseconds. */
async function searched(client: ApiClient): Promise<number> {
  const begun = performance.now();
  let before = '';
  for (;;) {
    const { next } = JSON.parse(await textOf(client, `${SEARCH.path}${before}`)) as { next: number | null };
    if (next === null) return performance.now() - begun;
    before = `&before=${next}`;
  }
}

/** Returns the time of a request in milliseconds. */
async function timed(client: ApiClient, path: string): Promise<number> {
  const begun = performance.now();
  await textOf(client, path);
  return performance.now() - begun;
}

async function textOf(client: ApiClient, path: string): Promise<string> {
  const { status, text } = await client.get(path);
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
  return text;
}
