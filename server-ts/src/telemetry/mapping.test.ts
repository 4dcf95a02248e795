import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashedId, sameId } from '@twin-ingest/mapping/event-id.ts';
import { type Mapped, mapRecord } from './mapping.ts';
import type { Attributes, Record } from './record.ts';

type Values = { readonly [key: string]: unknown };

function attributes(values: Values): Attributes {
  return new Map(Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)]));
}

const SESSION = { 'session.id': 's' };
const SPAN_ID = 'b7ad6b7169203331';

function log(values: Values, rest: Partial<Record> = {}): Record {
  return {
    signal: 'logs',
    scope: 'com.anthropic.claude_code.events',
    resource: new Map(),
    attributes: attributes(values),
    name: '',
    body: undefined,
    times: [undefined, undefined],
    traceId: undefined,
    spanId: undefined,
    parentSpanId: undefined,
    hasFailed: false,
    ...rest,
  };
}

function span(name: string, values: Values, rest: Partial<Record> = {}): Record {
  return log(values, { signal: 'spans', name: `claude_code.${name}`, spanId: SPAN_ID, ...rest });
}

function codex(values: Values): Record {
  const completed = { 'event.name': 'codex.sse_event', 'event.kind': 'response.completed', ...values };
  return log({ 'conversation.id': 's', ...completed }, { scope: 'codex_otel.log_only' });
}

function eventOf(mapped: Mapped): { [key: string]: unknown } {
  assert.equal(mapped.kind, 'event');
  if (mapped.kind !== 'event') return {};
  const { eventType: event_type, fields, metadata } = mapped.event;
  return { event_type, ...Object.fromEntries(fields), metadata: JSON.parse(metadata) as Values };
}

function mapped(record: Record, parents: ReadonlyMap<string, Attributes> = new Map()) {
  return eventOf(mapRecord(record, parents));
}

test('a log becomes an event with all fields of its mapping', () => {
  const values = {
    ...SESSION,
    'event.name': 'api_request',
    'user.id': 'u',
    input_tokens: 12,
    cost_usd: 0.25,
  };
  const record = log(values, {
    times: ['1771438001231999999', undefined],
    body: '"claude_code.api_request"',
    traceId: '0af7651916cd43dd8448eb211c80319c',
  });
  const { event_id: id, ...event } = mapped(record);
  assert.deepEqual(event, {
    session_id: 's',
    tokens_in: 12,
    cost_usd: 0.25,
    agent_type: 'claude_code',
    event_type: 'llm_response',
    source_event: 'claude_code.api_request',
    client_timestamp: Date.parse('2026-02-18T18:06:41.231Z'),
    metadata: {
      ...SESSION,
      'event.name': 'api_request',
      input_tokens: 12,
      cost_usd: 0.25,
      trace_id: '0af7651916cd43dd8448eb211c80319c',
    },
  });
  const own = ['claude_code', 'logs', 'api_request', '1771438001231999999'].map((text) =>
    JSON.stringify(text),
  );
  const ids = [undefined, '"0af7651916cd43dd8448eb211c80319c"', undefined, undefined];
  assert.equal(id, hashedId([...own, ...ids, '"s"', undefined, undefined]));
});

test('a name comes from a key, the record, or the body', () => {
  const names = [
    log({ ...SESSION, 'event.name': 'user_prompt' }, { name: 'x', body: '"y"' }),
    log({ ...SESSION, 'event.name': '' }, { name: 'claude_code.user_prompt', body: '"y"' }),
    log({ ...SESSION, 'event.name': 7 }, { body: '"user_prompt"' }),
  ].map((record) => mapped(record).source_event);
  assert.deepEqual(names, Array(3).fill('claude_code.user_prompt'));
  const { metadata } = mapped(log({ ...SESSION, 'event.name': 'user_prompt' }, { body: '[1]' }));
  assert.deepEqual((metadata as Values).body, [1]);
});

test('each record that is not an event has a reason', () => {
  const reasonOf = (record: Record): string => {
    const found = mapRecord(record, new Map());
    return found.kind === 'rejected' ? found.reason : found.kind;
  };
  assert.equal(reasonOf(log({}, { scope: 'x' })), 'unknown_agent');
  assert.equal(reasonOf(log({ ...SESSION, 'event.name': 'new' })), 'unknown_event');
  assert.equal(reasonOf(log(SESSION)), 'unknown_event');
  assert.equal(reasonOf(log({ ...SESSION, 'event.name': 'hook_registered' })), 'noise');
  for (const none of [undefined, 7, '', ' ', 'x'.repeat(10_000)])
    assert.equal(reasonOf(log({ 'event.name': 'user_prompt', 'session.id': none })), 'no_session');
  const generic = { 'gen_ai.operation.name': 'chat', 'gen_ai.conversation.id': 's', 'gen_ai.agent.name': 7 };
  assert.equal(reasonOf(span('x', generic, { scope: 'x' })), 'invalid');
});

test('counts are numbers or texts of digits, and subtraction stops at 0', () => {
  const tokens = (values: Values): unknown => mapped(codex(values)).tokens_in;
  assert.equal(tokens({ input_token_count: '1500', cached_token_count: 600 }), 900);
  assert.equal(tokens({ input_token_count: '0007', cached_token_count: '-1' }), 7);
  assert.equal(tokens({ input_token_count: 5, cached_token_count: 3, cache_write_token_count: '3' }), 0);
  for (const none of ['many', '-1', 1.5, true, [1]])
    assert.equal(tokens({ input_token_count: none }), undefined, String(none));
  const { tokens_in: large } = mapped(codex({ input_token_count: Number.MAX_SAFE_INTEGER }));
  assert.equal(large, Number.MAX_SAFE_INTEGER);
});

test('a status comes from its key, or from the span', () => {
  const statusOf = (values: Values): unknown =>
    mapped(log({ ...SESSION, 'event.name': 'tool_result', ...values })).status;
  assert.equal(statusOf({ success: 'false' }), 'error');
  assert.equal(statusOf({ success: false }), 'error');
  assert.equal(statusOf({ success: 'true' }), undefined);
  assert.equal(statusOf({}), undefined);
  assert.equal(mapped(span('interaction', SESSION, { hasFailed: true })).status, 'error');
  const request = (code: unknown): unknown =>
    mapped(codex({ 'event.name': 'codex.api_request', 'http.response.status_code': code })).status;
  assert.deepEqual([200, '200', 500].map(request), [undefined, undefined, 'error']);
});

test("a span has its duration and its parent's attributes", () => {
  const parents = new Map([['0000000000000001', attributes({ tool_name: 'Bash', tool_use_id: 't' })]]);
  const record = span(
    'tool.blocked_on_user',
    { ...SESSION, duration_ms: 9 },
    { parentSpanId: '0000000000000001', times: ['1771438001231000000', '1771438001239999999'] },
  );
  const { tool_name: tool, call_id: call, duration_ms: duration, metadata } = mapped(record, parents);
  assert.deepEqual([tool, call, duration], ['Bash', 't', 8]);
  assert.equal((metadata as Values).end, '1771438001239999999');
  assert.equal(mapped(record).call_id, '0000000000000001', 'an id of the parent stands in');
  const backwards = { ...record, times: ['2', '1'] as const };
  assert.equal(mapped(backwards).duration_ms, 9);
});

test('a log and a span of one call share an id', () => {
  const call = { ...SESSION, tool_use_id: 't' };
  const id = sameId('call', 'claude_code', 's', 't');
  assert.equal(mapped(log({ ...call, 'event.name': 'tool_result' })).event_id, id);
  assert.equal(mapped(span('tool', call)).event_id, id);
  assert.notEqual(mapped(log({ ...call, 'event.name': 'tool_decision' })).event_id, id);
  for (const none of ['', 7]) {
    const found = mapped(log({ ...call, tool_use_id: none, 'event.name': 'tool_result' })).event_id;
    assert.notEqual(found, sameId('call', 'claude_code', 's', String(none)));
  }
});
