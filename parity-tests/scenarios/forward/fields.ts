/** Tests what a receiver gets: every field, in all four pairs of servers. */
import assert from 'node:assert/strict';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { fillEveryKind } from '../../src/every-kind.ts';
import {
  compareRows,
  forwardingOf,
  forwardMetrics,
  RECEIVERS,
  senderDb,
  startReceiver,
  startSender,
  untilForwarded,
} from '../../src/forward-pair.ts';
import type { ScenarioContext } from '../../src/scenario.ts';

const FIELDS = { session_id: 's', agent_type: 'a', event_type: 'response' };

/** Events of every kind arrive with equal fields. */
export async function everyField(context: ScenarioContext): Promise<void> {
  for (const target of RECEIVERS) {
    const receiver = await startReceiver(context, target);
    const sender = await startSender(context, target, receiver.port);
    const client = context.client(sender);
    await fillEveryKind(client);
    await fillExtremes(client);
    await untilForwarded(client);
    const count = compareRows(senderDb(context, target), context.db(`receiver-${target}.db`));
    assert.equal(count, 1208);
    const { to, failure, last_at: lastAt } = await forwardingOf(client);
    assert.deepEqual([to, failure], [`127.0.0.1:${receiver.port}`, null]);
    assert.ok(Math.abs(Date.parse(lastAt!) - Date.now()) < 60_000, lastAt!);
    const { last_success_time_seconds: last, ...numbers } = await forwardMetrics(client);
    assert.ok(last! > 0);
    assert.deepEqual(numbers, {
      events_total: 1208,
      failures_total: 0,
      lost_events_total: 0,
      refused_events_total: 0,
      waiting_events: 0,
    });
    context.note(`${context.target} to ${target}: ${count} events with equal fields`);
    await Promise.all([sender.stop(), receiver.stop()]);
  }
}

/** Sends events at the limits of the rules. */
async function fillExtremes(client: ApiClient): Promise<void> {
  const raw = async (metadata: string, more: object = {}): Promise<void> => {
    const fields = JSON.stringify({ ...FIELDS, ...more }).slice(0, -1);
    const body = Buffer.from(`${fields},"metadata":${metadata}}`);
    const reply = await client.send('POST', '/api/events', body, []);
    assert.equal(reply.status, 201, reply.text);
  };
  await raw('{"b":\r\n [1,\n2.50e0,-0, "\\ud800" ] ,"a":"\\u00e9é","a":1}');
  await raw(`${'['.repeat(127)}${']'.repeat(127)}`);
  await raw('null', {
    event_id: 'é "x"',
    tokens_in: 2 ** 53 - 1,
    cost_usd: 999_999.999999999,
    client_timestamp: '2026-01-31T23:59:59.9999+05:30',
  });
  await raw(JSON.stringify({ query: 'q', text: 'é'.repeat(10_000) }), {
    call_id: 'c',
    agent_id: 'd',
    response_id: 'f',
    arrived_at: '2026-01-31T23:59:59.9999+05:30',
  });
  await raw('"text"', { source: 'import', source_event: 'e', status: 'timeout', cache_read_tokens: 7 });
  await raw('{}', {
    service_tier: 'g',
    subagent: 'h',
    skill: 'i',
    mcp_server: 'j',
    host: 'k',
    cache_write_tokens: 2,
    cache_write_1h_tokens: 1,
  });
  const hook = { session_id: 'h', hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_use_id: 't' };
  for (const input of ['ls', 'x'.repeat(20_000)]) {
    const reply = await client.post('/api/hooks/claude-code', {
      ...hook,
      tool_use_id: input.slice(0, 2),
      tool_input: { command: input },
    });
    assert.equal(reply.status, 200, reply.text);
  }
}

/** Events that both servers got directly are stored once at each. */
export async function sentToBoth(context: ScenarioContext): Promise<void> {
  for (const target of RECEIVERS) {
    const receiver = await startReceiver(context, target);
    const sender = await startSender(context, target, receiver.port);
    const [client, direct] = [context.client(sender), context.client(receiver)];
    for (let batch = 0; batch < 20; batch++) {
      const events = Array.from({ length: 50 }, (_, at) => event({ event_id: `both-${batch}-${at}` }));
      await Promise.all([client.ingest(events), direct.ingest(events)]);
    }
    await untilForwarded(client);
    const rows = (await direct.get('/api/stats')).json<{ total_events: number }>().total_events;
    assert.equal(rows, 1000);
    assert.equal((await forwardMetrics(client)).events_total, 1000);
    await Promise.all([sender.stop(), receiver.stop()]);
  }
}

/** The one event that a batch cannot hold: the payload of a hook as deep as a body may be. */
export async function deepestHook(context: ScenarioContext): Promise<void> {
  for (const target of RECEIVERS) {
    const receiver = await startReceiver(context, target);
    const sender = await startSender(context, target, receiver.port);
    const client = context.client(sender);
    for (const depth of [126, 127]) {
      const value = `${'['.repeat(depth)}${']'.repeat(depth)}`;
      const body = Buffer.from(`{"session_id":"h","hook_event_name":"Stop","value":${value}}`);
      const reply = await client.send('POST', '/api/hooks/claude-code', body, []);
      assert.equal(reply.status, 200, reply.text);
    }
    await client.ingest([event()]);
    await untilForwarded(client);
    const { events_total: events, refused_events_total: refused } = await forwardMetrics(client);
    assert.deepEqual([events, refused], [2, 1]);
    assert.match(sender.stderr(), /"first_id":2/);
    await Promise.all([sender.stop(), receiver.stop()]);
  }
}
