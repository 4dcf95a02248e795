/** Tests `/metrics`: its families, and that each number moves by exactly what the requests did. */
import assert from 'node:assert/strict';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import METRICS from '../../contract/metrics.json' with { type: 'json' };
import { type Family, parsePrometheus, valuesOf } from '../src/prometheus-text.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';
import { finishInput, lineOf, startWithInput } from '../src/server-input.ts';

export const METRICS_SCENARIOS: ScenarioFile = {
  name: 'metrics',
  about: 'what the servers count',
  sharesStreams: true,
  scenarios: [
    {
      name: 'families are those of the file, with its texts, labels and buckets',
      rules: ['MTR-01', 'MTR-02'],
      uses: 'each',
      run: families,
    },
    {
      name: 'each number moves by what the requests did',
      rules: ['MTR-02', 'MTR-03', 'MTR-04'],
      uses: 'each',
      run: deltas,
    },
    {
      name: 'both servers write the same text after the same requests',
      rules: ['LAW', 'MTR-05'],
      uses: 'both',
      run: equal,
    },
    {
      name: 'delivery lag counts the writes of new events alone',
      rules: ['MTR-06'],
      uses: 'each',
      run: deliveries,
    },
    {
      name: 'each refusal counts once under its code, whatever its status',
      rules: ['MTR-03', 'ATT-08'],
      uses: 'each',
      run: everyRefusal,
    },
    {
      name: 'lines of standard input count as events, and not as refusals',
      rules: ['MTR-03', 'MTR-04'],
      uses: 'each',
      run: input,
    },
  ],
};

async function scrape(client: ApiClient): Promise<Family[]> {
  const reply = await client.get('/metrics');
  assert.equal(reply.status, 200, reply.text);
  return parsePrometheus(reply.text);
}

async function families(context: ScenarioContext): Promise<void> {
  const client = context.client(await context.start());
  const first = await scrape(client);
  // No request precedes it, and a scrape does not count itself.
  const absent = ['ingest_http_request_duration_seconds', 'ingest_http_requests_total'];
  const names = METRICS.families.map(({ name }) => name);
  assert.deepEqual(
    first.map(({ name }) => name),
    names.filter((name) => !absent.includes(name)),
  );
  const reply = await client.get('/metrics');
  const type = reply.headers.find(([name]) => name.toLowerCase() === 'content-type');
  assert.equal(type?.[1], METRICS.content_type);
  const found = parsePrometheus(reply.text);
  assert.deepEqual(
    found.map(({ name }) => name),
    names,
  );
  METRICS.families.forEach((spec, place) => {
    const { help, type, samples } = found[place]!;
    assert.deepEqual({ help, type }, { help: spec.help, type: spec.type });
    const labels = samples[0]!.labels.map(([label]) => label);
    assert.deepEqual(labels, spec.type === 'histogram' ? [...spec.labels, 'le'] : spec.labels, spec.name);
    if (spec.type !== 'histogram') return;
    const buckets = samples.filter((sample) => sample.name.endsWith('_bucket'));
    const bounds = buckets.slice(0, spec.buckets!.length + 1).map((sample) => sample.labels.at(-1)![1]);
    assert.deepEqual(bounds, [...spec.buckets!.map(String), '+Inf'], spec.name);
  });
  const [head, again] = [await client.send('HEAD', '/metrics', undefined, []), await client.get('/metrics')];
  assert.equal(head.status, 200);
  assert.equal(head.body.length, 0);
  const heads = valuesOf(parsePrometheus(again.text)).get(requestKey('HEAD', '/metrics', 200));
  assert.equal(heads, 1);
}

function requestKey(method: string, route: string, status: number): string {
  return `ingest_http_requests_total{method="${method}",route="${route}",status="${status}"}`;
}

function eventKey(outcome: string, source: string): string {
  return `ingest_events_total{outcome="${outcome}",source="${source}"}`;
}

/** An OTLP log of an agent; without a session it is no event. */
function logOf(session: string | undefined): object {
  const attributes = [
    { key: 'event.name', value: { stringValue: 'tool_result' } },
    ...(session === undefined ? [] : [{ key: 'session.id', value: { stringValue: session } }]),
  ];
  const scopeLogs = [
    {
      scope: { name: 'com.anthropic.claude_code.events' },
      logRecords: [
        {
          timeUnixNano: '1795000000000000000',
          body: { stringValue: 'claude_code.tool_result' },
          attributes,
        },
      ],
    },
  ];
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'claude-code' } }] };
  return { resourceLogs: [{ resource, scopeLogs }] };
}

/** Sends one request after the other; each has a known effect. */
async function sendAll(client: ApiClient): Promise<void> {
  const send = async (
    status: number,
    method: string,
    path: string,
    content?: unknown,
    headers: readonly (readonly [string, string])[] = [],
  ): Promise<void> => {
    const body = content === undefined ? undefined : Buffer.from(JSON.stringify(content));
    const reply = await client.send(method, path, body, headers);
    assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`);
  };
  await send(201, 'POST', '/api/events', event({ session_id: 's', event_id: 'one' }));
  await send(200, 'POST', '/api/events', event({ event_id: 'one' }));
  await send(400, 'POST', '/api/events', { session_id: 's' });
  const events = [event({ event_id: 'two' }), event({ event_id: 'one' }), { session_id: 's' }, event()];
  await send(201, 'POST', '/api/events/batch', { events });
  await send(400, 'POST', '/api/events/batch', { nothing: true });
  const hook = { session_id: 'h', hook_event_name: 'Notification', notification_type: 'permission_prompt' };
  await send(200, 'POST', '/api/hooks/claude-code', { ...hook, message: 'May I?' });
  await send(200, 'POST', '/api/sessions/h/dismiss');
  await send(200, 'POST', '/v1/logs', logOf('t'));
  await send(200, 'POST', '/v1/logs', logOf('t'));
  await send(200, 'POST', '/v1/logs', logOf(undefined));
  const call = { jsonrpc: '2.0', id: 1, method: 'events.ingest', params: [[event(), { session_id: 's' }]] };
  await send(200, 'POST', '/api/rpc', call);
  await send(404, 'GET', '/nowhere');
  await send(404, 'GET', '/api/events/999999');
  await send(404, 'GET', '/api/events/');
  await send(405, 'PATCH', '/api/stats');
  await send(204, 'OPTIONS', '/api/stats');
  await send(406, 'GET', '/api/health', undefined, [['accept', 'text/html']]);
  await send(403, 'GET', '/api/stats', undefined, [['origin', 'https://elsewhere.example']]);
  await send(200, 'HEAD', '/api/events');
  await send(200, 'PUT', '/api/retention?days=2&bytes=5000000');
  await send(200, 'DELETE', '/api/sessions/s');
}

/** Refused requests about an attachment of event 1: method, path, headers, body, status and code. */
const REFUSED = [
  ['GET', '/api/attachments/SHA', { range: 'bytes=9-' }, undefined, 416, 'range_not_satisfiable'],
  ['GET', '/api/attachments/0', {}, undefined, 404, 'not_found'],
  ['PUT', '/api/events/1/attachments/a', {}, 'other', 409, 'attachment_exists'],
  ['PUT', '/api/events/1/attachments/b', {}, 'x'.repeat(2_000), 413, 'payload_too_large'],
  ['PUT', '/api/events/1/attachments/b', { 'content-type': 'text' }, 'b', 415, 'unsupported_media_type'],
  ['PUT', '/api/events/1/attachments/b', { 'content-encoding': 'gzip' }, 'b', 415, 'unsupported_encoding'],
  ['PUT', '/api/events/1/attachments/b', { 'content-digest': 'sha-256=:AAAA:' }, 'b', 422, 'digest_mismatch'],
  ['PUT', '/api/events/1/attachments/..%2F', {}, 'b', 400, 'invalid_parameter'],
  ['PUT', '/api/events/1/attachments/b', {}, 'b', 507, 'attachments_full'],
] as const;

async function everyRefusal(context: ScenarioContext): Promise<void> {
  const flags = ['--max-attachment-bytes', '1024', '--attachments-bytes', '8192'];
  const client = context.client(await context.start({ flags }));
  assert.equal((await client.post('/api/events', event())).status, 201);
  const kept = await client.send('PUT', '/api/events/1/attachments/a', Buffer.from('bytes'), []);
  const { sha256 } = kept.json<{ sha256: string }>();
  for (const [method, path, headers, body, status, code] of REFUSED) {
    if (status === 507) await client.send('PUT', '/api/events/1/attachments/full', Buffer.from('full'), []);
    const key = `ingest_refusals_total{code="${code}"}`;
    const before = valuesOf(await scrape(client)).get(key) ?? 0;
    const content = body === undefined ? undefined : Buffer.from(body);
    const reply = await client.send(method, path.replace('SHA', sha256), content, Object.entries(headers));
    assert.deepEqual([reply.status, reply.json<{ code: string }>().code], [status, code]);
    assert.equal(valuesOf(await scrape(client)).get(key), before + 1, code);
  }
}

async function deltas(context: ScenarioContext): Promise<void> {
  const client = context.client(await context.start());
  const before = valuesOf(await scrape(client));
  await sendAll(client);
  const after = valuesOf(await scrape(client));
  const moved = new Map<string, number>();
  for (const [key, value] of after) {
    // Times are compared by their counts alone.
    if (/_seconds(_bucket|_sum)|_bytes\b/.test(key)) continue;
    const delta = value - (before.get(key) ?? 0);
    if (delta !== 0) moved.set(key, delta);
  }
  const durations = (route: string): string => `ingest_http_request_duration_seconds_count{route="${route}"}`;
  const refusal = (code: string): string => `ingest_refusals_total{code="${code}"}`;
  const expected: [string, number][] = [
    [requestKey('GET', '/metrics', 200), 1],
    [requestKey('POST', '/api/events', 201), 1],
    [requestKey('POST', '/api/events', 200), 1],
    [requestKey('POST', '/api/events', 400), 1],
    [requestKey('HEAD', '/api/events', 200), 1],
    [requestKey('POST', '/api/events/batch', 201), 1],
    [requestKey('POST', '/api/events/batch', 400), 1],
    [requestKey('POST', '/api/hooks/claude-code', 200), 1],
    [requestKey('POST', '/api/sessions/{id}/dismiss', 200), 1],
    [requestKey('POST', '/v1/logs', 200), 3],
    [requestKey('POST', '/api/rpc', 200), 1],
    [requestKey('GET', 'other', 404), 2],
    [requestKey('GET', '/api/events/{id}', 404), 1],
    [requestKey('other', '/api/stats', 405), 1],
    [requestKey('OPTIONS', '/api/stats', 204), 1],
    [requestKey('GET', '/api/stats', 403), 1],
    [requestKey('GET', '/api/health', 406), 1],
    [requestKey('PUT', '/api/retention', 200), 1],
    [requestKey('DELETE', '/api/sessions/{id}', 200), 1],
    [durations('/metrics'), 1],
    [durations('/api/events'), 4],
    [durations('/api/events/batch'), 2],
    [durations('/api/hooks/claude-code'), 1],
    [durations('/api/sessions/{id}/dismiss'), 1],
    [durations('/v1/logs'), 3],
    [durations('/api/rpc'), 1],
    [durations('other'), 2],
    [durations('/api/events/{id}'), 1],
    [durations('/api/stats'), 3],
    [durations('/api/health'), 1],
    [durations('/api/retention'), 1],
    [durations('/api/sessions/{id}'), 1],
    [eventKey('accepted', 'events'), 3],
    [eventKey('duplicate', 'events'), 2],
    [eventKey('rejected', 'events'), 2],
    [eventKey('accepted', 'hooks'), 1],
    [eventKey('accepted', 'dismissals'), 1],
    [eventKey('accepted', 'telemetry'), 1],
    [eventKey('duplicate', 'telemetry'), 1],
    [eventKey('accepted', 'rpc'), 1],
    [eventKey('rejected', 'rpc'), 1],
    ['ingest_commit_duration_seconds_count', 8],
    ['ingest_group_events_count', 8],
    ['ingest_group_events_sum', 10],
    // One group has three events: one new and one duplicate id, and one without an id.
    ...METRICS.families
      .find(({ name }) => name === 'ingest_group_events')!
      .buckets!.map((bound): [string, number] => [
        `ingest_group_events_bucket{le="${bound}"}`,
        bound < 3 ? 7 : 8,
      ]),
    ['ingest_group_events_bucket{le="+Inf"}', 8],
    [refusal('invalid_event'), 1],
    [refusal('invalid_batch'), 1],
    [refusal('not_found'), 3],
    [refusal('method_not_allowed'), 1],
    [refusal('not_acceptable'), 1],
    [refusal('forbidden_origin'), 1],
    ['ingest_retention_limit_seconds', 172_800],
    ['ingest_retention_deleted_events_total', 1],
    ['ingest_retention_steps_total', 1],
  ];
  assert.deepEqual(Object.fromEntries([...moved].sort()), Object.fromEntries(expected.sort()));
}

async function equal(context: ScenarioContext): Promise<void> {
  const texts: string[] = [];
  for (const target of [context.target, context.other]) {
    const client = context.client(await context.start({ target, db: context.db(`${target}.db`) }));
    await sendAll(client);
    const { text } = await client.get('/metrics');
    parsePrometheus(text);
    texts.push(text.split('\n').map(withoutOpenValue).join('\n'));
  }
  assert.equal(texts[0], texts[1]);
}

/** Removes a value that rule MTR-05 leaves open. */
function withoutOpenValue(line: string): string {
  const isOpen =
    /^(\w+_seconds_(bucket|sum)|\w+_bytes|\w+_time_seconds|ingest_checkpoint_duration_seconds_count)[ {]/.test(
      line,
    );
  if (isOpen) return line.replace(/ \S+$/, '');
  return line.replace(/runtime="(rust|node)"/, 'runtime=""');
}

async function deliveries(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await client.ingest([event(), event()]);
  const value = async (key: string): Promise<number | undefined> => valuesOf(await scrape(client)).get(key);
  const count = (): Promise<number | undefined> => value('ingest_stream_delivery_lag_seconds_count');
  const stream = await context.stream(server, '?after=0');
  const hasRow = (id: number): boolean => stream.frames.some((frame) => frame.id === String(id));
  await until(() => hasRow(2), 'the stored events');
  assert.equal(await count(), 0, 'events from before the subscription');
  assert.equal(await value('ingest_stream_clients{mode="events"}'), 1);
  assert.equal(await value('ingest_stream_clients{mode="invalidate"}'), 0);
  await context.stream(server, '?mode=invalidate');
  assert.equal(await value('ingest_stream_clients{mode="invalidate"}'), 1);
  for (const id of [3, 4]) {
    await client.ingest([event()]);
    await until(() => hasRow(id), 'the new event');
  }
  assert.equal(await count(), 2);
  stream.close();
  await until(
    async () => (await value('ingest_stream_clients{mode="events"}')) === 0,
    'the end of the stream',
  );
}

async function input(context: ScenarioContext): Promise<void> {
  const server = await startWithInput(context, 'ndjson');
  const client = context.client(server);
  const lines = [lineOf({ event_id: 'a' }), lineOf({ event_id: 'a' }), '{}', 'no JSON'];
  server.input(`${lines.join('\n')}\n`);
  const value = async (key: string): Promise<number | undefined> => valuesOf(await scrape(client)).get(key);
  await until(async () => (await value(eventKey('duplicate', 'stdin'))) === 1, 'the duplicate');
  assert.equal(await value(eventKey('accepted', 'stdin')), 1);
  assert.equal(await value(eventKey('rejected', 'stdin')), 2);
  const refusals = [...valuesOf(await scrape(client))].filter(([key]) =>
    key.startsWith('ingest_refusals_total'),
  );
  assert.deepEqual(
    refusals.filter(([, count]) => count > 0),
    [],
  );
  client.close();
  await finishInput(server);
}
