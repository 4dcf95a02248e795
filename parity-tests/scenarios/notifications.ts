/**
 * Tests notifications (rules NOT-01 to NOT-05): payloads and signatures, a receiver that fails, restarts, the budget, and
 * flags with a problem. Over 250 lines because each rule has its steps here.
 */
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { failedStart, plainLines } from '@twin-ingest/testkit/servers/failed-start.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { parsePrometheus, valuesOf } from '../src/prometheus-text.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';
import { type Payload, WebhookReceiver } from '../src/webhook-receiver.ts';

export const NOTIFICATIONS: ScenarioFile = {
  name: 'notifications',
  about: 'notifications to a webhook',
  scenarios: [
    {
      name: 'both servers send equal, signed notifications',
      rules: ['NOT-01', 'NOT-02', 'NOT-03', 'NOT-05', 'LAW'],
      uses: 'both',
      waits: true,
      run: equal,
    },
    {
      name: 'a receiver that fails, redirects, closes and hangs gets each notification again',
      rules: ['NOT-03', 'NOT-04'],
      uses: 'each',
      waits: true,
      run: failing,
    },
    {
      name: 'a restart repeats no notification, and the end does not wait for one',
      rules: ['NOT-04', 'NOT-05', 'PRO-07', 'PRO-08'],
      uses: 'both',
      waits: true,
      run: restarts,
    },
    {
      name: 'health reports the budget, also without a webhook',
      rules: ['NOT-05', 'HEA-01'],
      uses: 'each',
      run: budget,
    },
    {
      name: 'a day of the budget is that of the time zone',
      rules: ['NOT-05', 'PRO-23', 'PRO-24'],
      uses: 'each',
      run: localDays,
    },
    {
      name: 'a receiver, a secret or a budget with a problem stops the start',
      rules: ['NOT-01', 'NOT-03', 'NOT-05', 'PRO-03', 'LAW'],
      uses: 'both',
      run: problems,
    },
  ],
};

/** Rounds are at least this far apart, so later events are in another round. */
const ROUND_MS = 400;
const SETTLED_MS = 1500;

async function hook(client: ApiClient, id: string, name: string, more: object = {}): Promise<void> {
  const payload = { session_id: id, hook_event_name: name, cwd: '/home/me/shop', ...more };
  const reply = await client.post('/api/hooks/claude-code', payload);
  assert.equal(reply.status, 200, reply.text);
}

/** Sends what begins and ends waits and work; each step is a round of its own. */
async function work(client: ApiClient): Promise<void> {
  const steps: readonly (() => Promise<unknown>)[] = [
    () => hook(client, 'a b/é', 'UserPromptSubmit', { prompt_id: 'p1' }),
    () => hook(client, 'a b/é', 'PermissionRequest', { tool_name: 'Bash' }),
    // A reminder of the same wait is none.
    () => hook(client, 'a b/é', 'Notification', { notification_type: 'permission_prompt' }),
    () => hook(client, 'a b/é', 'PostToolUse', { tool_name: 'Bash', tool_use_id: 't1' }),
    () => hook(client, 'a b/é', 'PreToolUse', { tool_name: 'AskUserQuestion' }),
    () => hook(client, 'a b/é', 'Stop'),
    // After its work has ended, a session that ends is none.
    () => hook(client, 'a b/é', 'SessionEnd'),
    () => client.ingest([event({ session_id: 'api', event_type: 'error', project: null })]),
    () => client.ingest([event({ session_id: 'api', event_type: 'error', project: null })]),
    () => client.ingest([event({ session_id: 'old', event_type: 'error', client_timestamp: anHourAgo() })]),
    () => hook(client, 'broken', 'UserPromptSubmit', { prompt_id: 'p2' }),
    // A failure that ends the work is a failure alone.
    () => hook(client, 'broken', 'StopFailure'),
    // The history of an import is no work.
    () => client.ingest([event({ session_id: 'past', source: 'import', client_timestamp: anHourAgo() })]),
    () => client.ingest([event({ session_id: 'past', event_type: 'session_end' })]),
    () => client.ingest([event({ session_id: 'api', cost_usd: 2.125 })]),
    () => client.ingest([event({ session_id: 'api', cost_usd: 0.875 })]),
  ];
  for (const step of steps) {
    await step();
    await sleep(ROUND_MS);
  }
}

const EXPECTED: readonly (readonly [type: string, session: string | null, message: string])[] = [
  ['session.waiting', 'a b/é', 'claude_code asks for permission'],
  ['session.waiting', 'a b/é', 'claude_code asks a question'],
  ['session.finished', 'a b/é', 'claude_code finished after 0 min'],
  ['session.failed', 'api', 'agent reports an error'],
  ['session.failed', 'broken', 'claude_code reports an error'],
  ['session.finished', 'past', 'agent finished after 0 min'],
  ['budget.passed', null, '2.13 USD on DAY is above the budget of 2.00 USD'],
];

async function equal(context: ScenarioContext): Promise<void> {
  const of = async (target: TargetName): Promise<readonly Payload[]> => {
    const receiver = await WebhookReceiver.open(context);
    const flags = [...receiver.flags, '--webhook-finish-minutes', '0', '--budget-usd-day', '2'];
    const server = await context.start({ target, db: context.db(`${target}.db`), flags });
    await work(context.client(server));
    await until(() => receiver.attempts.length >= EXPECTED.length, `${EXPECTED.length} notifications`);
    await sleep(SETTLED_MS);
    const ids = receiver.attempts.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, 'each is sent once');
    return receiver.attempts.map((attempt) => {
      const payload = receiver.payloadOf(attempt);
      assert.ok(Math.abs(Date.parse(payload.timestamp) - Date.now()) < 60_000, payload.timestamp);
      const day = new Date().toISOString().slice(0, 10);
      return {
        ...payload,
        timestamp: '',
        message: payload.message.replace(day, 'DAY'),
        url: payload.url.replace(server.url, ''),
      };
    });
  };
  const [rs, ts] = [await of('rs'), await of('ts')];
  assert.deepEqual(ts, rs);
  assert.deepEqual(
    rs.map(({ type, session, message }) => [type, session, message]),
    EXPECTED,
  );
  const [waiting, , , failed, , , passed] = rs;
  assert.equal(waiting!.url, '/#/session/a%20b%2F%C3%A9');
  assert.deepEqual([waiting!.project, waiting!.agent], ['shop', 'claude_code']);
  assert.equal(failed!.project, null);
  assert.deepEqual([passed!.url, passed!.project, passed!.agent], ['/', null, null]);
}

async function failing(context: ScenarioContext): Promise<void> {
  const receiver = await WebhookReceiver.open(context);
  const server = await context.start({ flags: receiver.flags });
  const client = context.client(server);
  receiver.answers.push(500, 500);
  await hook(client, 'one', 'PermissionRequest');
  await until(() => receiver.attempts.length === 3, 'three attempts');
  const [first, second, third] = receiver.attempts;
  assert.deepEqual([first!.id, first!.body], [third!.id, third!.body]);
  const delays = [second!.atMs - first!.atMs, third!.atMs - second!.atMs];
  assert.ok(delays[0]! >= 990 && delays[1]! >= 1990, `the delay doubles: ${delays}`);
  for (const attempt of receiver.attempts) receiver.payloadOf(attempt);
  receiver.answers.push('redirect', 'close', 'hang');
  await hook(client, 'two', 'PermissionRequest');
  await until(() => receiver.attempts.length === 7, 'four more attempts', 30_000);
  assert.ok(receiver.attempts.every(({ target }) => target === '/hook?of=me'));
  // A notification that fails does not hold up the next one.
  receiver.answers.push(503);
  await hook(client, 'three', 'PermissionRequest');
  await until(() => receiver.attempts.length === 8, 'a failed attempt');
  await hook(client, 'four', 'PermissionRequest');
  await until(() => receiver.attempts.length === 10, 'a retry after another notification');
  const sessions = receiver.attempts.slice(7).map((attempt) => receiver.payloadOf(attempt).session);
  assert.deepEqual(sessions, ['three', 'four', 'three']);
  // The server counts a delivery after the receiver has seen it.
  await until(async () => (await countsOf(client)).delivered === 4, 'the count of the last delivery');
  assert.deepEqual(await countsOf(client), { delivered: 4, dropped: 0, failed: 0, retried: 6 });
  const log = server.stderr();
  assert.ok(log.includes('a notification was not delivered'), log);
  assert.ok(!log.includes(receiver.secret) && !log.includes('/hook'), log);
}

async function countsOf(client: ApiClient): Promise<Readonly<Record<string, number | undefined>>> {
  const values = valuesOf(parsePrometheus((await client.get('/metrics')).text));
  const results = ['delivered', 'dropped', 'failed', 'retried'];
  return Object.fromEntries(
    results.map((result) => [result, values.get(`ingest_webhook_notices_total{result="${result}"}`)]),
  );
}

async function restarts(context: ScenarioContext): Promise<void> {
  const receiver = await WebhookReceiver.open(context);
  const flags = [...receiver.flags, '--budget-usd-day', '1'];
  const first = await context.start({ target: 'rs', flags });
  await hook(context.client(first), 'one', 'PermissionRequest');
  await context.client(first).ingest([event({ cost_usd: 3 })]);
  await until(() => receiver.attempts.length === 2, 'two notifications');
  receiver.answers.push('hang');
  await hook(context.client(first), 'two', 'PermissionRequest');
  await until(() => receiver.attempts.length === 3, 'an attempt without an answer');
  await stopsSoon(() => first.stop());
  // The other server sends none for what is stored.
  const second = await context.start({ target: 'ts', flags });
  await context.client(second).ingest([event({ cost_usd: 3 })]);
  await sleep(SETTLED_MS);
  assert.equal(receiver.attempts.length, 3);
  receiver.answers.push('hang');
  await hook(context.client(second), 'three', 'PermissionRequest');
  await until(() => receiver.attempts.length === 4, 'a notification after the restart');
  assert.equal(receiver.payloadOf(receiver.attempts[3]!).session, 'three');
  await stopsSoon(() => second.stop());
}

async function stopsSoon(stop: () => Promise<{ readonly code: number | null }>): Promise<void> {
  const begin = performance.now();
  const { code } = await stop();
  assert.equal(code, 0);
  assert.ok(performance.now() - begin < 3000, 'the end does not wait for a delivery');
}

async function budget(context: ScenarioContext): Promise<void> {
  const client = context.client(await context.start({ flags: ['--budget-usd-day', '10.5'] }));
  const read = async () => (await client.get('/api/health')).json<{ budget: unknown }>().budget;
  const day = new Date().toISOString().slice(0, 10);
  assert.deepEqual(await read(), { day, usd_day: 10.5, cost_usd: 0, unpriced_tokens: 0 });
  await client.ingest([event({ cost_usd: 1.2 }), event({ cost_usd: 2 }), event({ cost_usd: 0.000001 })]);
  await client.ingest([event({ model: 'no-such-model', tokens_in: 7, cache_read_tokens: 1 })]);
  assert.deepEqual(await read(), { day, usd_day: 10.5, cost_usd: 3.2, unpriced_tokens: 8 });
}

async function localDays(context: ScenarioContext): Promise<void> {
  const dayIn = async (zone: string): Promise<string> => {
    const flags = ['--budget-usd-day', '1', '--time-zone', zone];
    const server = await context.start({ flags, db: context.db(`${zone.replace('/', '-')}.db`) });
    const { budget } = (await context.client(server).get('/api/health')).json<{ budget: { day: string } }>();
    await server.stop();
    return budget.day;
  };
  // 25 hours apart, so their dates always differ.
  for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    const localDay = () => new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format();
    const before = localDay();
    const day = await dayIn(zone);
    assert.ok([before, localDay()].includes(day), `${zone}: ${day}`);
  }
}

async function problems(context: ScenarioContext): Promise<void> {
  const secret = join(context.folder, 'secret');
  const shown = JSON.stringify(secret);
  const good = `whsec_${Buffer.alloc(24).toString('base64')}`;
  const url = 'http://127.0.0.1:1/';
  const starts = async (flags: readonly string[], expected: readonly string[]): Promise<void> => {
    for (const target of TARGET_NAMES) {
      const exit = await failedStart(target, flags, context.folder);
      assert.equal(exit.code, 2, `${target} ${flags.join(' ')} ${exit.stderr}`);
      assert.deepEqual(plainLines(exit.stderr), expected, target);
    }
  };
  const save = (text: string, mode = 0o600): void => {
    writeFileSync(secret, text);
    chmodSync(secret, mode);
  };
  save(` ${good}\n`);
  const wrong =
    '--webhook must be a URL such as https://example.org/hook, of http or https, without user name and fragment, at most 2048 bytes';
  for (const text of [
    'ftp://a/',
    'http://me:pw@a/',
    'http://a/#b',
    'http://',
    'http://a:0/',
    'a',
    'http://a/é',
  ]) {
    await starts(['--webhook', text, '--webhook-secret-file', secret], [wrong]);
  }
  await starts(['--webhook', url], ['--webhook needs --webhook-secret-file']);
  const flags = ['--webhook', url, '--webhook-secret-file', secret];
  await starts(
    [...flags.slice(0, 3), `${secret}.no`],
    [`--webhook-secret-file ${JSON.stringify(`${secret}.no`)} does not exist`],
  );
  save(good, 0o640);
  await starts(flags, [`--webhook-secret-file ${shown} is open to other users; run \`chmod 600\` on it`]);
  for (const text of ['', 'secret', good.slice(0, -4), good.slice('whsec_'.length), `${good}!`]) {
    save(text);
    await starts(flags, [`--webhook-secret-file ${shown} must hold whsec_ and the base64 of 24 to 64 bytes`]);
  }
  for (const text of ['0', '-1', '1.234', '1e3', 'ten', '1000001']) {
    await starts(
      ['--budget-usd-day', text],
      [
        `--budget-usd-day must be an amount in US dollars from 0.01 to 1000000, such as 10 or 2.50, not ${JSON.stringify(text)}`,
      ],
    );
  }
}

/** Returns a time of history (rule TIM-03). */
function anHourAgo(): string {
  return new Date(Date.now() - 3_600_000).toISOString();
}
