import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Buffers } from '../buffers.ts';
import { LIMITS } from '../contract.ts';
import type { Failure } from '../error.ts';
import { readTelemetry, type Telemetry } from './index.ts';
import { requestOf } from './otlp.ts';

interface Read extends Telemetry {
  readonly pauses: number;
}

function read(path: string, request: object, maxEvents = 10): Read {
  const body = Buffer.from(JSON.stringify(request));
  const reading = readTelemetry(requestOf(path), 'json', body, maxEvents, new Buffers());
  let pauses = 0;
  let step = reading.next();
  for (; !step.done; step = reading.next()) pauses++;
  return { ...step.value, pauses };
}

const text = (key: string, stringValue: string): object => ({ key, value: { stringValue } });

function logs(records: readonly object[], scope = 'com.anthropic.claude_code.events'): object {
  return { resourceLogs: [{ scopeLogs: [{ scope: { name: scope }, logRecords: records }] }] };
}

function log(name: string, more = ''): object {
  return { attributes: [text('session.id', 's'), text('event.name', name), text('more', more)] };
}

test('each event has its metadata, and other records are counted', () => {
  const { metadata, events, tally } = read(
    '/v1/logs',
    logs([log('user_prompt', 'a\nb'), log('hook_registered'), log('new'), log('user_prompt')]),
  );
  assert.equal(events.length, 2);
  const [first, second] = events.map(({ start, end }) => metadata.toString('utf8', start, end));
  assert.equal((JSON.parse(first!) as { more: string }).more, 'a\nb');
  assert.equal((JSON.parse(second!) as { more: string }).more, '');
  assert.deepEqual(
    events.map(({ agent }) => agent?.spec.agentType),
    ['claude_code', 'claude_code'],
  );
  const { logs: count, noise, ignored } = tally.of(events[0]!.agent);
  assert.deepEqual([count, noise, ignored], [4, 1, [0, 1, 0, 0, 0]]);
});

test('an oversized record is not read', () => {
  const large = log('user_prompt', 'x'.repeat(LIMITS.otlp_record_bytes));
  const { events, tally } = read('/v1/logs', logs([large, log('user_prompt')]));
  assert.equal(events.length, 1);
  assert.deepEqual(tally.rejected(), [['too_large', 1]]);
});

test('events above the limit are counted', () => {
  assert.equal(read('/v1/logs', logs(Array(3).fill(log('user_prompt'))), 3).events.length, 3);
  assert.throws(
    () => read('/v1/logs', logs(Array(5).fill(log('user_prompt'))), 3),
    ({ code, members }: Failure) => code === 'batch_too_large' && members.actual === 5 && members.limit === 3,
  );
});

test('data points are counted by their agents', () => {
  const metrics = [{ sum: { dataPoints: [{}, {}] } }, { gauge: { dataPoints: [{}] }, histogram: 7 }, {}];
  const scope = { name: 'com.anthropic.claude_code' };
  const { events, tally } = read('/v1/metrics', {
    resourceMetrics: [{ scopeMetrics: [{ scope, metrics }, { metrics: [metrics[0]] }] }],
  });
  assert.equal(events.length, 0);
  assert.deepEqual(
    tally.agents.flatMap(({ points }, at) => (points === 0 ? [] : [[at, points]])),
    [
      [0, 3],
      [tally.agents.length - 1, 2],
    ],
  );
});

test('a parent may follow its child', () => {
  const span = (name: string, spanId: string, parentSpanId: string, more: readonly object[]): object => ({
    ...{ name: `claude_code.${name}`, spanId, parentSpanId },
    attributes: [text('session.id', 's'), ...more],
  });
  const [one, two] = ['00000000000000a1', '00000000000000A2'];
  const spans = [
    span('tool.blocked_on_user', one, two, []),
    span('tool', two, '', [text('tool_name', 'Bash'), text('tool_use_id', 't')]),
  ];
  const scope = { name: 'com.anthropic.claude_code.tracing' };
  const { events } = read('/v1/traces', { resourceSpans: [{ scopeSpans: [{ scope, spans }] }] });
  assert.equal(events[0]!.fields.get('call_id'), 't');
});

test('a large body is read in slices', () => {
  const records = Array(40).fill(log('hook_registered', 'x'.repeat(100_000)));
  const { pauses, tally } = read('/v1/logs', logs(records));
  assert.ok(pauses > 10, `${pauses} pauses`);
  assert.equal(tally.agents[0]!.noise, 40);
});
