/**
 * The smoke test before a measurement: a few requests that both servers must answer in the same way.
 *
 * It does not replace the parity suite. It prevents the measurement of a server that is fast because it behaves
 * differently. Each answer is checked against the contract and against the other server.
 */
import { BenchFailure } from '../failure.ts';

interface Request {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly status: number;
  /** Fields that the answer must contain. It may contain others. */
  readonly holds: Readonly<Record<string, unknown>>;
}

export interface Exchange {
  readonly name: string;
  readonly request: string;
  readonly status: number;
  readonly contentType: string;
  /** Body as received, without the values that come from the clock. */
  readonly body: string;
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
  {
    name: 'single',
    method: 'POST',
    path: '/api/events',
    body: SINGLE,
    status: 201,
    holds: { received: 1, ids: [1], duplicates: 0 },
  },
  {
    name: 'duplicate',
    method: 'POST',
    path: '/api/events',
    body: SINGLE,
    status: 200,
    holds: { received: 0, ids: [], duplicates: 1 },
  },
  {
    name: 'invalid event',
    method: 'POST',
    path: '/api/events',
    body: INVALID,
    status: 400,
    holds: { code: 'invalid_event' },
  },
  {
    name: 'batch with duplicate and invalid',
    method: 'POST',
    path: '/api/events/batch',
    body: `{"events":[${SINGLE},${OTHER},${INVALID}]}`,
    status: 201,
    holds: { received: 1, duplicates: 1, rejected: [{ index: 2, errors: ['agent_type: must be a string'] }] },
  },
  {
    name: 'invalid JSON',
    method: 'POST',
    path: '/api/events',
    body: '{"session_id":',
    status: 400,
    holds: { code: 'invalid_json' },
  },
  {
    name: 'row',
    method: 'GET',
    path: '/api/events/1',
    status: 200,
    holds: { id: 1, event_id: 'smoke-1', tokens_in: 12 },
  },
  { name: 'list', method: 'GET', path: '/api/events?limit=10', status: 200, holds: { next: null } },
  {
    name: 'statistics',
    method: 'GET',
    path: '/api/stats',
    status: 200,
    holds: { total_events: 2, total_errors: 1 },
  },
  { name: 'no such route', method: 'GET', path: '/api/nothing', status: 404, holds: { code: 'not_found' } },
];

/** Sends the smoke test to a fresh server. Fails at an answer that violates the contract, and shows that answer. */
export async function runSmoke(name: string, url: string, requests = SMOKE): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  for (const request of requests) {
    const response = await fetch(`${url}${request.path}`, {
      method: request.method,
      ...(request.body === undefined
        ? {}
        : { body: request.body, headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    const exchange: Exchange = {
      name: request.name,
      request: `${request.method} ${request.path} ${request.body ?? ''}`.trim(),
      status: response.status,
      contentType: response.headers.get('content-type') ?? 'none',
      body: blankClock(text),
    };
    if (response.status !== request.status || !holds(text, request.holds)) {
      throw new BenchFailure('parity_difference', `${name} answers "${request.name}" against the contract`, [
        exchange.request,
        `expected ${request.status} with ${JSON.stringify(request.holds)}`,
        show(name, exchange),
      ]);
    }
    exchanges.push(exchange);
  }
  return exchanges;
}

/** Fails at the first answer that differs between two servers, and shows both answers. */
export function compareSmoke(all: ReadonlyMap<string, readonly Exchange[]>): void {
  const [first, ...others] = [...all];
  if (first === undefined) return;
  for (const [name, exchanges] of others) {
    for (const [i, exchange] of exchanges.entries()) {
      const reference = first[1][i]!;
      if (sameAnswer(reference, exchange)) continue;
      throw new BenchFailure('parity_difference', `the servers answer "${exchange.name}" differently`, [
        exchange.request,
        show(first[0], reference),
        show(name, exchange),
      ]);
    }
  }
}

function sameAnswer(a: Exchange, b: Exchange): boolean {
  return a.status === b.status && a.contentType === b.contentType && a.body === b.body;
}

function show(name: string, exchange: Exchange): string {
  return `${name}: ${exchange.status} ${exchange.contentType} ${exchange.body}`;
}

/** Replaces `created_at`, the only value of these answers that comes from the clock. */
function blankClock(text: string): string {
  return text.replace(/"created_at":"[^"]*"/g, '"created_at":"…"');
}

function holds(text: string, wanted: Readonly<Record<string, unknown>>): boolean {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return false;
  }
  if (typeof body !== 'object' || body === null) return false;
  const fields = body as Record<string, unknown>;
  return Object.entries(wanted).every(
    ([key, value]) => JSON.stringify(fields[key]) === JSON.stringify(value),
  );
}
