/**
 * Tests waiting sessions over time: silence, staleness, kill -9, both servers alternating, and the reports of a
 * dismissal.
 */
import assert from 'node:assert/strict';
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { headerValues } from '@twin-ingest/testkit/http/http-parser.ts';
import { ageWaits } from '../src/age-waits.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const WAITS: ScenarioFile = {
  name: 'waits',
  about: 'sessions that wait for their user, over time',
  sharesStreams: true,
  scenarios: [
    {
      name: 'silence does not end a session that needs an answer, and its wait becomes stale',
      rules: ['SES-02', 'WAI-03', 'WAI-04'],
      uses: 'each',
      run: staySilent,
    },
    {
      name: 'waits survive kill -9 and a change of server',
      rules: ['WAI-02', 'WAI-05', 'STO-03', 'PRO-08'],
      uses: 'both',
      run: killAndSwap,
    },
    {
      name: 'a dismissal is reported to every topic and does not count as activity',
      rules: ['WAI-05', 'SYN-01', 'SYN-02', 'STR-02'],
      uses: 'each',
      run: dismiss,
    },
    {
      name: 'a hook after its log is reported to every topic once, also after kill -9 on the other server',
      rules: ['HOK-04', 'SYN-01', 'SYN-02', 'SYN-06', 'STR-02', 'STO-03', 'PRO-08'],
      uses: 'both',
      run: hookBehindLog,
    },
  ],
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface Session {
  readonly id: string;
  readonly status: string;
  readonly waiting_reason: string | null;
  readonly waiting_since: string | null;
  readonly waiting_stale: boolean;
  readonly last_event_at: string;
  readonly last_event_id: number;
}

async function staySilent(context: ScenarioContext): Promise<void> {
  const flags = ['--session-timeout-minutes', '1', '--waiting-stale-hours', '2'];
  let server = await context.start({ flags });
  let client = context.client(server);
  const restart = async (silentMs: number): Promise<void> => {
    await server.stop();
    ageWaits(context.db(), silentMs);
    server = await context.start({ flags });
    client = context.client(server);
  };
  await hook(client, 'asks', 'PermissionRequest', { tool_name: 'Bash' });
  await hook(client, 'done', 'Stop');
  assert.deepEqual(await states(client), { asks: 'waiting permission', done: 'active turn_finished' });
  await restart(MINUTE_MS);
  assert.deepEqual(await states(client), { asks: 'waiting permission', done: 'idle turn_finished' });
  await restart(MINUTE_MS);
  assert.deepEqual(await states(client), { asks: 'waiting permission', done: 'ended turn_finished' });
  assert.deepEqual(await states(client, '?status=waiting'), { asks: 'waiting permission' });
  await restart(2 * HOUR_MS - 3 * MINUTE_MS);
  assert.deepEqual(await states(client), { asks: 'waiting permission', done: 'ended turn_finished' });
  await restart(MINUTE_MS);
  assert.deepEqual(await states(client), {
    asks: 'waiting permission stale',
    done: 'ended turn_finished',
  });
  const totals = (await client.get('/api/stats')).json<{ active_sessions: number; total_sessions: number }>();
  assert.deepEqual([totals.active_sessions, totals.total_sessions], [0, 2]);
  await hook(client, 'asks', 'PostToolUse', { tool_name: 'Bash' });
  assert.deepEqual(await states(client), { asks: 'active', done: 'ended turn_finished' });
}

async function killAndSwap(context: ScenarioContext): Promise<void> {
  let since: string | null = null;
  const turns: ((client: ApiClient) => Promise<void>)[] = [
    async (client) => {
      await hook(client, 's', 'PermissionRequest', { agent_id: 'a' });
      await hook(client, 's', 'Elicitation', { agent_id: 'b' });
      await hook(client, 's', 'Stop');
      since = (await session(client, 's')).waiting_since;
    },
    async (client) => {
      const found = await session(client, 's');
      assert.deepEqual(
        [found.status, found.waiting_reason, found.waiting_since],
        ['waiting', 'permission', since],
      );
      await hook(client, 's', 'PostToolUse', { agent_id: 'a' });
      assert.deepEqual(await states(client), { s: 'waiting question' });
    },
    async (client) => {
      assert.deepEqual(await states(client), { s: 'waiting question' });
      await hook(client, 's', 'ElicitationResult', { agent_id: 'b' });
      assert.deepEqual(await states(client), { s: 'active turn_finished' });
      await hook(client, 's', 'PermissionRequest', { agent_id: 'b' });
    },
    async (client) => {
      assert.deepEqual(await states(client), { s: 'waiting permission' });
      assert.equal((await client.send('POST', '/api/sessions/s/dismiss', undefined, [])).status, 200);
    },
    async (client) => assert.deepEqual(await states(client), { s: 'active' }),
  ];
  for (const [turn, run] of turns.entries()) {
    const server = await context.start({ target: turn % 2 === 0 ? context.target : context.other });
    await run(context.client(server));
    await server.kill();
  }
}

async function dismiss(context: ScenarioContext): Promise<void> {
  const first = await context.start();
  await hook(context.client(first), 's', 'PermissionRequest');
  await first.stop();
  ageWaits(context.db(), 11 * MINUTE_MS);
  const server = await context.start();
  const client = context.client(server);
  const before = await session(client, 's');
  assert.equal(before.status, 'waiting');
  const topics = ['events', 'stats', 'sessions', 'session:s'];
  const changes = await context.stream(server, `?mode=invalidate&topics=${topics.join(',')}`);
  const events = await context.stream(server, `?after=${before.last_event_id}`);
  const answer = await client.send('POST', '/api/sessions/s/dismiss', undefined, []);
  const dismissed = answer.json<{ session: Session }>().session;
  const id = dismissed.last_event_id;
  assert.ok(id > before.last_event_id, 'the dismissal has an id');
  for (const topic of topics)
    await changes.waitFor(() => changes.revisionOf(topic) === String(id), `the revision of ${topic}`);
  await events.waitFor(() => events.ids.includes(id), 'the event of the dismissal');
  assert.equal(dismissed.last_event_at, before.last_event_at);
  assert.deepEqual(await states(client), { s: 'ended' });
}

async function hookBehindLog(context: ScenarioContext): Promise<void> {
  const call = { tool_name: 'Bash', tool_use_id: 't1' };
  const first = await context.start();
  const client = context.client(first);
  await hook(client, 's', 'PermissionRequest', { tool_name: 'Bash' });
  const log = await client.post('/v1/logs', callLog('s', call));
  assert.equal(log.status, 200, log.text);
  assert.deepEqual(await states(client), { s: 'waiting permission' });
  const before = (await session(client, 's')).last_event_id;
  const [tag] = headerValues((await client.get('/api/snapshot/session:s')).headers, 'etag');
  const topics = ['events', 'stats', 'sessions', 'session:s'];
  const changes = await context.stream(first, `?mode=invalidate&topics=${topics.join(',')}`);
  const events = await context.stream(first, `?after=${before}`);
  await hook(client, 's', 'PostToolUse', call);
  const { last_event_id: id } = await session(client, 's');
  assert.ok(id > before, 'the hook has an id');
  for (const topic of topics)
    await changes.waitFor(() => changes.revisionOf(topic) === String(id), `the revision of ${topic}`);
  await events.waitFor(() => events.ids.includes(id), 'the event of the hook');
  const tagged = [['if-none-match', tag!]] as const;
  assert.equal((await client.send('GET', '/api/snapshot/session:s', undefined, tagged)).status, 200);
  await hook(client, 's', 'PermissionRequest', { tool_name: 'Bash' });
  await first.kill();
  const second = context.client(await context.start({ target: context.other }));
  await hook(second, 's', 'PostToolUse', call);
  assert.deepEqual(await states(second), { s: 'waiting permission' });
  assert.equal(
    (await session(second, 's')).last_event_id,
    id + 1,
    'the hook that was sent again is a duplicate',
  );
  const { tools } = (await second.get('/api/stats/tools')).json<{ tools: { total_calls: number }[] }>();
  assert.deepEqual(
    tools.map(({ total_calls }) => total_calls),
    [1],
  );
}

/** Returns an OTLP request with the log record that Claude Code sends for a call. */
function callLog(id: string, attributes: Readonly<Record<string, string>>): unknown {
  const all = { 'session.id': id, 'event.name': 'tool_result', success: 'true', ...attributes };
  const list = Object.entries(all).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const scope = { name: 'com.anthropic.claude_code.events' };
  const logRecords = [{ timeUnixNano: '1771438001235000000', attributes: list }];
  return { resourceLogs: [{ scopeLogs: [{ scope, logRecords }] }] };
}

async function hook(
  client: ApiClient,
  id: string,
  name: string,
  payload: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const reply = await client.post('/api/hooks/claude-code', {
    session_id: id,
    hook_event_name: name,
    ...payload,
  });
  assert.equal(reply.status, 200, reply.text);
}

async function session(client: ApiClient, id: string): Promise<Session> {
  return (await client.get(`/api/sessions/${id}`)).json<{ session: Session }>().session;
}

/** Returns status, reason and staleness of each session. */
async function states(client: ApiClient, query = ''): Promise<Record<string, string>> {
  const { sessions } = (await client.get(`/api/sessions${query}`)).json<{ sessions: Session[] }>();
  const words = (one: Session) => [one.status, one.waiting_reason, one.waiting_stale ? 'stale' : null];
  return Object.fromEntries(sessions.map((one) => [one.id, words(one).filter(Boolean).join(' ')]));
}
