/**
 * Sends the recorded requests of real agents from a scenario of `pnpm test:agents` again. Every request is sent twice.
 * Answers and calls must become the rows that the model API of that run served, once each.
 *
 * `pnpm test:agents --capture` writes `captured/*.json`; do not edit these files by hand.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

const FOLDER = new URL('../captured/', import.meta.url);

type Row = Readonly<Record<string, unknown>> & { readonly event_type: string };

interface Captured {
  readonly agent_type: string;
  readonly expected: {
    readonly sessions: number;
    readonly answers: readonly Readonly<Record<string, unknown>>[];
    readonly calls: readonly Readonly<Record<string, unknown>>[];
  };
  readonly requests: readonly { readonly path: string; readonly body: unknown }[];
}

export const CAPTURED: ScenarioFile = {
  name: 'captured',
  about: 'turns of real agents, as they sent them',
  scenarios: readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({
      name: name.replace('.json', ''),
      rules: ['OTL-05', 'OTL-06', 'OTL-07', 'OTL-09', 'HOK-01'],
      uses: 'each' as const,
      run: (context: ScenarioContext) =>
        replay(context, JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as Captured),
    })),
};

async function replay(context: ScenarioContext, { agent_type, expected, requests }: Captured): Promise<void> {
  const client = context.client(await context.start());
  for (const { path, body } of requests.flatMap((request) => [request, request])) {
    const reply = await client.post(path, body);
    assert.ok(reply.status < 300, `POST ${path}: ${reply.status} ${reply.text}`);
    if (path.startsWith('/v1/')) assert.equal(reply.text, '{}', 'every record is accepted');
  }
  const rows = (await client.get('/api/events?order=asc&limit=1000')).json<{ events: Row[] }>().events;
  assert.deepEqual([...new Set(rows.map((row) => row.agent_type))], [agent_type]);
  const answers = rows.filter((row) => row.event_type === 'llm_response' || Number(row.tokens_out) > 0);
  assert.deepEqual(likeFirst(expected.answers, answers), sorted(expected.answers), 'answers');
  const calls = rows.filter(({ event_type }) => event_type === 'tool_use');
  assert.deepEqual(likeFirst(expected.calls, calls), sorted(expected.calls), 'calls');
  const { sessions } = (await client.get('/api/sessions')).json<{ sessions: unknown[] }>();
  assert.equal(sessions.length, expected.sessions, 'sessions');
}

/**
 * Returns the rows, sorted, with only the members of the expected rows. Numbers are rounded to nine decimals, so costs
 * to a nanodollar.
 */
function likeFirst(expected: readonly object[], rows: readonly Row[]): unknown[] {
  const keys = Object.keys(expected[0] ?? {});
  const round = (value: unknown) => (typeof value === 'number' ? Number(value.toFixed(9)) : value);
  return sorted(rows.map((row) => Object.fromEntries(keys.map((key) => [key, round(row[key])]))));
}

function sorted(items: readonly object[]): unknown[] {
  return items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
