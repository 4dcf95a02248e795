/** Reads the state of a server after a test: rows, sessions with totals, and counts of ignored telemetry. */
import { setTimeout as wait } from 'node:timers/promises';
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';

export interface Row {
  readonly id: number;
  readonly session_id: string;
  readonly agent_type: string;
  readonly event_type: string;
  readonly source: string;
  readonly source_event: string | null;
  readonly tool_name: string | null;
  readonly call_id: string | null;
  readonly agent_id: string | null;
  readonly model: string | null;
  readonly status: string;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly cost_usd: number | null;
}

export interface Session {
  readonly id: string;
  readonly status: string;
  readonly waiting_reason: string | null;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly total_cost_usd: number;
}

export interface AgentTelemetry {
  readonly agent_type: string;
  readonly ignored: Readonly<Record<string, number>>;
}

export interface Observed {
  readonly rows: readonly Row[];
  readonly sessions: readonly Session[];
  readonly telemetry: readonly AgentTelemetry[];
}

export async function observe(client: ApiClient): Promise<Observed> {
  const rows: Row[] = [];
  for (;;) {
    const { events } = await read<{ events: Row[] }>(
      client,
      `/api/events?order=asc&after=${rows.at(-1)?.id ?? 0}&limit=1000`,
    );
    if (events.length === 0) break;
    rows.push(...events);
  }
  const { sessions } = await read<{ sessions: Session[] }>(client, '/api/sessions?limit=1000');
  const health = await read<{ telemetry: { agents: AgentTelemetry[] } }>(client, '/api/health');
  return { rows, sessions, telemetry: health.telemetry.agents };
}

/** Returns the last state once `isThere` holds and no row has arrived for `QUIET_MS`, or at the deadline. */
export async function settled(client: ApiClient, isThere: (state: Observed) => boolean): Promise<Observed> {
  const end = performance.now() + DEADLINE_MS;
  let state = await observe(client);
  let changed = performance.now();
  while (performance.now() < end) {
    if (isThere(state) && performance.now() - changed > QUIET_MS) break;
    await wait(50);
    const next = await observe(client);
    if (next.rows.length !== state.rows.length) changed = performance.now();
    state = next;
  }
  return state;
}

/** Milliseconds without a new row after which no duplicate row can arrive, since the agents have ended before. */
const QUIET_MS = 500;
const DEADLINE_MS = 15_000;

async function read<T>(client: ApiClient, path: string): Promise<T> {
  const reply = await client.get(path);
  if (reply.status !== 200) throw new Error(`GET ${path}: ${reply.status} ${reply.text}`);
  return reply.json<T>();
}
