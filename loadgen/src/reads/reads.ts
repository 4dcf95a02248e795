/**
 * Measures the time of pages of a large database, each the worst of its kind, alone and during eight of the longest.
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

/** Number of distinct sessions. They take turns, so that every session spans the whole file. */
const SESSIONS = 60_000;
/** One row of this many has the rare model. */
const RARE = 1_000_000;
/** The pairs alternate, so that every block has all names, and no row has the names of {@link LONGEST}. */
const PAIRS = [
  { tool_name: 'Bash', branch: 'other', agent_type: 'claude-code' },
  { tool_name: 'Read', branch: 'main', agent_type: 'codex' },
] as const;
/** Metadata of a usual size. */
const COMMAND = 'cargo test --locked --all-targets '.repeat(6);

/** Returns event `at` of the database. */
function storedEvent(at: number): Readonly<Record<string, unknown>> {
  return {
    session_id: `session-${at % SESSIONS}`,
    event_type: 'tool_use',
    ...PAIRS[at % 2],
    project: `project-${at % 200}`,
    model: at % RARE === 17 ? 'rare' : `model-${at % 20}`,
    status: at % 100 === 0 ? 'error' : 'success',
    metadata: { at, command: COMMAND },
  };
}

type Page = readonly [about: string, path: string];

const EVENTS = '/api/events?limit=50';
const SESSION_PAGE = '/api/sessions?limit=50';

const LONGEST: Page = ['two common values that never meet', `${EVENTS}&tool_name=Bash&branch=main`];
const STATISTICS: Page = ['statistics', '/api/stats'];
/** A search that reads every row, page after page. */
const SEARCH: Page = ['a text that no row has', `${EVENTS}&q=zebra`];

const PAGES: readonly Page[] = [
  LONGEST,
  ['the same, oldest first', `${LONGEST[1]}&order=asc`],
  ['three common values that never meet', `${LONGEST[1]}&status=success`],
  ['the same since 1970', `${LONGEST[1]}&since=1970-01-01T00:00:00Z`],
  ['a rare and a common value that never meet', `${EVENTS}&model=rare&tool_name=Bash&status=error`],
  ['a rare value', `${EVENTS}&model=rare`],
  ['a session', `${EVENTS}&session_id=session-7`],
  ['a session and a value that it lacks', `${EVENTS}&session_id=session-7&tool_name=Bash`],
  ['two values that meet', `${EVENTS}&tool_name=Bash&branch=other`],
  ['1,000 rows of one value', '/api/events?limit=1000&tool_name=Bash'],
  ['no filter', EVENTS],
  ['a text that every row has', `${EVENTS}&q=Locked`],
  SEARCH,
  ['a text whose beginning every row has', `${EVENTS}&q=cargo+test+--locked+x`],
  ['series by model', '/api/series?by=model'],
  ['series by model and minute', '/api/series?by=model&bucket=minute'],
  ['durations of tools', '/api/series?bucket=day&by=tool_name&durations=1'],
  ['series by model of a project', '/api/series?by=model&project=project-7'],
  ['sessions: a project', `${SESSION_PAGE}&project=project-7`],
  ['sessions: values that never meet', `${SESSION_PAGE}&project=project-7&agent_type=claude-code`],
  ['sessions: ended', `${SESSION_PAGE}&status=ended`],
  ['sessions: waiting', `${SESSION_PAGE}&status=waiting`],
  STATISTICS,
];

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
