/**
 * The rows that almost nothing matches: ten with one tool and session before all others, ten with another after.
 *
 * A filter on the first has the whole table between it and the newest row, which is the dearest a filter can be.
 * What must stay true: no generated event has one of these names.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../failure.ts';
import { type Launch, launch } from '../launch.ts';
import type { BaseFile } from '../preload.ts';

export interface Rare {
  readonly tool_name: string;
  readonly session_id: string;
}

export const OLDEST: Rare = { tool_name: 'rarer_tool', session_id: 'rarer-session' };
export const NEWEST: Rare = { tool_name: 'rare_tool', session_id: 'rare-session' };

const REQUESTS = 2;
const EVENTS_A_REQUEST = 5;

/** A closed database: the base, or nothing, with the rare rows above it. Its folder lives as long as the run. */
export async function withRare(
  rare: Rare,
  base: BaseFile | null,
  target: TargetName,
  how: Launch,
): Promise<BaseFile> {
  const asked = { durability: 'process', max_metadata_bytes: null } as const;
  const launched = await launch(target, how, asked, base?.file);
  for (let request = 0; request < REQUESTS; request++) await post(launched.server.url, rare);
  await launched.stop();
  return { file: launched.database, rows: (base?.rows ?? 0) + REQUESTS * EVENTS_A_REQUEST };
}

async function post(url: string, rare: Rare): Promise<void> {
  const event = {
    ...rare,
    agent_type: 'claude_code',
    event_type: 'tool_use',
    model: 'claude-opus-4-6',
    project: 'app',
    source: 'hook',
    metadata: { path: 'src/store/' },
  };
  const response = await fetch(`${url}/api/events/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ events: Array.from({ length: EVENTS_A_REQUEST }, () => event) }),
  });
  const { received } = (await response.json()) as { readonly received?: number };
  if (received === EVENTS_A_REQUEST) return;
  throw new BenchFailure('server_failed', `rare events were answered with ${response.status}`);
}
