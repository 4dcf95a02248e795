/**
 * Requests the health of a server and the events of an agent.
 *
 * Invariant: an unexpected answer is a state, never an error, since users run the doctor when something is broken.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { reasonOf, request } from '../request.ts';

/** The telemetry of an agent as in /api/health (rule OTL-11). */
export interface AgentTelemetry {
  readonly agent_type: string;
  readonly last_at: string | null;
  readonly logs: number;
  readonly spans: number;
  readonly points: number;
  readonly stored: number;
  readonly duplicates: number;
  readonly noise: number;
  readonly ignored: Readonly<Record<string, number>>;
}

/** What a server counted; older ones lack the optional members. */
export interface Telemetry {
  readonly grpc_connections: number;
  readonly wrong_paths?: number;
  readonly last_wrong_path?: string | null;
  readonly without_records?: number;
  readonly agents: readonly AgentTelemetry[];
}

export interface Health {
  readonly status: string;
  readonly reason?: string;
  readonly runtime?: string;
  readonly version?: string;
  readonly time_zone?: string;
  readonly telemetry?: Telemetry;
}

export type ServerState =
  | {
      readonly kind: 'unreachable';
      readonly reason: string;
      /** Whether a program has the port, so that no server can start there. */
      readonly isListening: boolean;
    }
  | { readonly kind: 'foreign'; readonly status: number }
  | { readonly kind: 'locked' }
  | { readonly kind: 'answers'; readonly health: Health; readonly wantsToken: boolean };

export interface LastEvent {
  readonly created_at: string;
  readonly source_event: string | null;
  readonly event_type: string;
}

const TIMEOUT_MS = 3000;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export async function askServer(origin: string, token: string | null): Promise<ServerState> {
  try {
    const live = await get(origin, '/livez', null);
    if (live.status !== 200 || statusOf(live) !== 'ok') return { kind: 'foreign', status: live.status };
    const open = await get(origin, '/api/health', null);
    const wantsToken = open.status === 401;
    const answer = wantsToken && token !== null ? await get(origin, '/api/health', token) : open;
    if (answer.status === 401) return { kind: 'locked' };
    if (![200, 503].includes(answer.status) || typeof answer.body !== 'object' || answer.body === null)
      return { kind: 'foreign', status: answer.status };
    const health = { status: 'unavailable', ...(answer.body as Partial<Health>) };
    return { kind: 'answers', health, wantsToken };
  } catch (error) {
    return {
      kind: 'unreachable',
      reason: reasonOf(error, TIMEOUT_MS),
      isListening: await isListening(origin),
    };
  }
}

/** Returns whether a program takes connections at an address. A stopped one does, as the system takes them for it. */
async function isListening(origin: string): Promise<boolean> {
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return true;
  } catch {
    return false;
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}

/** Returns the newest event of an agent from one source; `null` without events, `'unknown'` without an answer. */
export async function lastEvent(
  origin: string,
  token: string | null,
  agent_type: string,
  source: string,
): Promise<LastEvent | null | 'unknown'> {
  const query = new URLSearchParams({ agent_type, source, limit: '1' });
  const end_ms = performance.now() + TIMEOUT_MS;
  try {
    // A page may stop early (contract rule GET-12).
    while (performance.now() < end_ms) {
      const { status, body } = await get(origin, `/api/events?${query}`, token);
      if (status !== 200) return 'unknown';
      const { events = [], next = null } = (body ?? {}) as EventPage;
      if (events[0] !== undefined || next === null) return events[0] ?? null;
      query.set('before', String(next));
    }
  } catch {
    // Without an answer no event is known.
  }
  return 'unknown';
}

/** The part of a page that the doctor reads. */
interface EventPage {
  readonly events?: readonly LastEvent[];
  readonly next?: number | null;
}

async function get(origin: string, path: string, token: string | null): Promise<Answer> {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const response = await request(`${origin}${path}`, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const body: unknown = await response.json().catch(() => null);
  return { status: response.status, body };
}

function statusOf({ body }: Answer): unknown {
  return (body as { readonly status?: unknown } | null)?.status;
}
