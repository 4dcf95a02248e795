/**
 * The smoke test before a measurement: a few requests that both servers must answer in the same way.
 *
 * It does not replace the parity suite. It prevents the measurement of a server that is fast because it behaves
 * differently. Each answer is checked against the contract and against the other server.
 */
import { isDeepStrictEqual } from 'node:util';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../failure.ts';
import type { Options } from '../plan/spec.ts';
import { Host, type Launch, withHost } from '../run/host.ts';
import { type EffectiveSettings, type Health, readHealth } from './health.ts';

/** `GET` without a body, otherwise `POST`. The answer must contain the fields of `holds`, and may contain others. */
interface Request {
  readonly path: string;
  readonly body?: string;
  readonly status: number;
  readonly holds: Readonly<Record<string, unknown>>;
}

const EVENT = {
  event_id: 'smoke-1',
  session_id: 'smoke',
  agent_type: 'claude_code',
  event_type: 'tool_use',
  tool_name: 'Bash',
  duration_ms: 0,
  tokens_in: 12,
};

/** Metadata that changes when a server parses it and serialises it again. */
const METADATA = '{"b":1.50, "a":12345678901234567890,"command":"échø \\u0041\\ud800"}';
const SINGLE = `${JSON.stringify(EVENT).slice(0, -1)},"metadata":${METADATA}}`;
const OTHER = JSON.stringify({ ...EVENT, event_id: 'smoke-2', event_type: 'error' });
const INVALID = JSON.stringify({ session_id: 'smoke', agent_type: 1, event_type: 'tool_use' });

export const SMOKE: readonly Request[] = [
  { path: '/api/events', body: SINGLE, status: 201, holds: { received: 1, ids: [1], duplicates: 0 } },
  { path: '/api/events', body: SINGLE, status: 200, holds: { received: 0, ids: [], duplicates: 1 } },
  { path: '/api/events', body: INVALID, status: 400, holds: { code: 'invalid_event' } },
  {
    path: '/api/events/batch',
    body: `{"events":[${SINGLE},${OTHER},${INVALID}]}`,
    status: 201,
    holds: { received: 1, duplicates: 1, rejected: [{ index: 2, errors: ['agent_type: must be a string'] }] },
  },
  { path: '/api/events', body: '{"session_id":', status: 400, holds: { code: 'invalid_json' } },
  { path: '/api/events/1', status: 200, holds: { id: 1, event_id: 'smoke-1', tokens_in: 12 } },
  { path: '/api/events?limit=10', status: 200, holds: { next: null } },
  { path: '/api/stats', status: 200, holds: { total_events: 2, total_errors: 1 } },
  { path: '/api/nothing', status: 404, holds: { code: 'not_found' } },
];

/**
 * Checks before a measurement that both servers give the same answers and have the same settings. Returns the settings.
 */
export async function verify(
  { targets, durability }: Options,
  how: Launch,
  settings: EffectiveSettings,
): Promise<ReadonlyMap<TargetName, Health>> {
  const reference: string[] = [];
  const healths = new Map<TargetName, Health>();
  for (const name of targets) {
    await withHost(Host.start(name, how, { flags: ['--durability', durability] }), async ({ url }) => {
      const health = await readHealth(url);
      settings.add(name, health, durability);
      healths.set(name, health);
      for (const [i, request] of SMOKE.entries()) {
        const answer = await answerOf(name, url, request);
        reference[i] ??= answer;
        const answers = [`${targets[0]}: ${reference[i]}`, `${name}: ${answer}`];
        if (answer !== reference[i]) throw differs('the servers give different answers', request, answers);
      }
    });
  }
  return healths;
}

/** Returns status, content type and body. Fails at an answer that violates the contract, and shows that answer. */
async function answerOf(name: string, url: string, request: Request): Promise<string> {
  const { path, body, status, holds } = request;
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url + path, body === undefined ? {} : { method: 'POST', body, headers });
  const text = await response.text();
  // These two values come from the clock.
  const shown = text.replace(/"(created_at|time)":"[^"]*"/g, '"$1":"…"');
  const answer = `${response.status} ${response.headers.get('content-type')} ${shown}`;
  if (response.status === status && contains(text, holds)) return answer;
  const expected = `expected ${status} with ${JSON.stringify(holds)}`;
  throw differs(`${name} answers against the contract`, request, [expected, `${name}: ${answer}`]);
}

function differs(message: string, { path, body }: Request, lines: readonly string[]): BenchFailure {
  const request = body === undefined ? `GET ${path}` : `POST ${path} ${body}`;
  return new BenchFailure('parity_difference', message, [request, ...lines]);
}

function contains(text: string, wanted: Request['holds']): boolean {
  try {
    const fields = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return Object.entries(wanted).every(([key, value]) => isDeepStrictEqual(fields[key], value));
  } catch {
    return false;
  }
}
