/**
 * Makes a database with many rows for measurements of reads, and keeps it in `.bench/` for later runs.
 *
 * Two pairs of names alternate, so that every block has all four names and no row has the searched pair. Sessions take
 * turns, so that every session spans the whole file. Some names are in few rows.
 */
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';

/** Number of distinct sessions. */
const SESSIONS = 60_000;
/** One row of this many has the rare model. */
const RARE = 1_000_000;
const BATCH = 5_000;
const IN_FLIGHT = 4;
const PAIRS = [
  { tool_name: 'Bash', branch: 'other', agent_type: 'claude-code' },
  { tool_name: 'Read', branch: 'main', agent_type: 'codex' },
] as const;
/** Metadata of a usual size. */
const COMMAND = 'cargo test --locked --all-targets '.repeat(6);

/** Returns the path of a database with this many events; makes it if it does not exist. */
export async function filledFile(events: number): Promise<string> {
  const folder = join(ROOT, '.bench');
  const path = join(folder, `reads-${events}.db`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const started = performance.now();
  const made = join(folder, `reads-${events}-${process.pid}.db`);
  const server = await startServer('rs', { flags: ['--db', made] });
  const client = new ApiClient(server.port);
  try {
    const starts = Array.from({ length: Math.ceil(events / BATCH) }, (_, batch) => batch * BATCH).values();
    const send = async (): Promise<void> => {
      for (const first of starts) {
        const length = Math.min(BATCH, events - first);
        await client.ingest(Array.from({ length }, (_, index) => eventAt(first + index)));
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, send));
  } finally {
    client.close();
    await server.stop();
  }
  renameSync(made, path);
  const seconds = (performance.now() - started) / 1000;
  process.stdout.write(`made a database of ${events} events in ${seconds.toFixed(0)} s\n`);
  return path;
}

function eventAt(at: number): Readonly<Record<string, unknown>> {
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
