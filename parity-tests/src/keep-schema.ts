/**
 * Keeps a database of the schema of today, with what a client reads of it, for the day on which it is an earlier one.
 *
 *     node parity-tests/src/keep-schema.ts --name schema-2
 *
 * To be run before a migration is added. Writes `fixtures/NAME.db` and `fixtures/NAME.json`; waits until sessions
 * have ended, since their status depends on the time. Exit 2 for a wrong flag, 1 for anything else that fails.
 */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ApiClient, event } from './api-client.ts';
import { startServer } from './server.ts';

/** What is kept beside the file. */
export interface KeptSchema {
  /** Bodies by path. */
  readonly texts: Readonly<Record<string, string>>;
  /** All that was sent and stored. */
  readonly events: readonly Record<string, unknown>[];
}

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));
const COUNT = 600;
const PATHS = [
  '/api/events?limit=1000&order=asc',
  '/api/events?limit=1000&session_id=s3',
  '/api/events?limit=1000&session_id=s3&order=asc',
  '/api/events?limit=5&tool_name=rare',
  '/api/events?limit=1000&project=p1&model=m2',
  '/api/events?limit=3&before=300&status=error',
  '/api/sessions?limit=1000',
  '/api/stats',
  '/api/stats/tools',
  '/api/stats/cost',
  '/api/filter-options',
];
/** Twice the shortest timeout ends a session. */
const ENDED_MS = 125_000;

async function keep(name: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'keep-schema-'));
  const db = join(folder, 'events.db');
  const flags = ['--db', db, '--session-timeout-minutes', '1'];
  const server = await startServer('rs', { cwd: folder, flags });
  const client = new ApiClient(server.port);
  try {
    const events = Array.from({ length: COUNT }, (_, index) => sample(index));
    for (let at = 0; at < COUNT; at += 150) await client.ingest(events.slice(at, at + 150));
    await new Promise((resolve) => setTimeout(resolve, ENDED_MS));
    const texts: Record<string, string> = {};
    for (const path of PATHS) texts[path] = (await client.get(path)).text;
    await server.stop();
    copyFileSync(db, `${FIXTURES}${name}.db`);
    const kept: KeptSchema = { texts, events };
    writeFileSync(`${FIXTURES}${name}.json`, `${JSON.stringify(kept, null, 1)}\n`);
  } finally {
    client.close();
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every column, ids of both kinds, several sessions, one name that is rare. */
function sample(index: number): Record<string, unknown> {
  const types = ['tool_use', 'error', 'session_start', 'session_end', 'llm_response'];
  const uuid = `00000000-0000-4000-8000-${String(index * 7919).padStart(12, '0')}`;
  return event({
    event_id: index % 3 === 0 ? `toolu_${index}` : uuid,
    session_id: `s${index % 11}`,
    agent_type: `agent${index % 3}`,
    event_type: types[index % types.length],
    tool_name: index === 77 || index === 401 ? 'rare' : `tool${index % 5}`,
    model: `m${index % 4}`,
    project: `p${index % 2}`,
    branch: 'main',
    tokens_in: index,
    tokens_out: index % 13,
    duration_ms: index * 10,
    cost_usd: index / 1_000,
    client_timestamp: '2026-02-18T19:06:41.2319+01:00',
    source: 'hook',
    metadata: { index, text: 'ü'.repeat(index % 20) },
  });
}

if (import.meta.main) {
  try {
    const { values } = parseArgs({ options: { name: { type: 'string' } } });
    if (values.name === undefined || !/^schema-\d+$/.test(values.name)) {
      process.stderr.write('keep-schema: --name schema-N is needed\n');
      process.exitCode = 2;
    } else await keep(values.name);
  } catch (error) {
    process.stderr.write(`keep-schema: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
