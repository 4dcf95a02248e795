/** Tests the live stream with one reader: frames, their order, filters, resumption, places. */
import assert from 'node:assert/strict';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { headerValues } from '@twin-ingest/testkit/http/http-parser.ts';
import { SseClient } from '@twin-ingest/testkit/http/sse-client.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const STREAM: ScenarioFile = {
  name: 'stream',
  about: 'frames, order, filters, resumption, slots',
  sharesStreams: true,
  scenarios: [
    {
      name: 'the stream sends connected, then events in id order after their commit',
      rules: ['STR-01', 'STR-02', 'STR-10'],
      uses: 'each',
      run: order,
    },
    { name: 'a heartbeat when nothing else was sent', rules: ['STR-07'], uses: 'each', run: heartbeat },
    {
      name: 'filters apply to events and never to stats',
      rules: ['STR-05', 'STR-06'],
      uses: 'each',
      run: filters,
    },
    {
      name: 'resuming during writes has no gap and no repetition',
      rules: ['STR-03'],
      uses: 'each',
      run: resumption,
    },
    {
      name: 'another epoch, or a cursor from the future, resets',
      rules: ['STR-04'],
      uses: 'each',
      run: reset,
    },
    { name: 'a cursor that is no integer is refused', rules: ['STR-03'], uses: 'each', run: badCursor },
    { name: 'a slot is refused over the limit and released', rules: ['STR-09'], uses: 'each', run: slots },
    {
      name: 'line ends between tokens of metadata become spaces',
      rules: ['MET-03', 'MET-01'],
      uses: 'each',
      run: lineEnds,
    },
    { name: 'a duplicate sends no message', rules: ['ING-02', 'STR-02'], uses: 'each', run: duplicates },
  ],
};

async function order(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await client.ingest([event()]);
  const stream = await context.stream(server);
  const head = stream.head!;
  assert.equal(head.status, 200);
  assert.match(headerValues(head.headers, 'content-type').join(), /^text\/event-stream(; charset=utf-8)?$/);
  assert.deepEqual(headerValues(head.headers, 'cache-control'), ['no-store']);
  assert.deepEqual(headerValues(head.headers, 'x-accel-buffering'), ['no']);
  await stream.waitFor(() => stream.frames.length >= 1, 'the connected frame');
  const { type, timestamp, epoch, last_id, ...rest } = stream.messages[0]!;
  assert.deepEqual({ type, last_id, rest }, { type: 'connected', last_id: 1, rest: {} });
  assert.match(String(timestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const health = await client.get('/api/health');
  assert.equal(epoch, health.json<{ epoch: string }>().epoch);
  const acknowledged: number[] = [];
  const write = async (writer: ApiClient): Promise<void> => {
    for (let request = 0; request < 10; request += 1)
      acknowledged.push(...(await writer.ingest([event(), event()])).ids);
  };
  await Promise.all([1, 2, 3, 4].map(() => write(context.client(server))));
  await stream.waitFor(() => stream.ids.length >= acknowledged.length, 'all events');
  assert.deepEqual(
    stream.ids,
    acknowledged.sort((one, other) => one - other),
  );
  const last = stream.messages.findLast((message) => message.type === 'event')!;
  const row = await client.get(`/api/events/${stream.ids.at(-1)}`);
  assert.deepEqual(last.payload, row.json());
  assert.ok(
    stream.frames.every((frame) => frame.event === undefined),
    'frames have no event name',
  );
  const named = stream.frames.filter((frame) => frame.id !== undefined);
  assert.ok(named.every((frame) => frame.data!.startsWith('{"type":"event","payload":{"id":')));
}

async function heartbeat(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--heartbeat-ms', '100', '--stats-interval-ms', '3600000'] });
  const stream = await context.stream(server);
  const beats = (): number => stream.frames.filter((frame) => frame.comment === 'heartbeat').length;
  await stream.waitFor(() => beats() >= 3, 'three heartbeats');
  assert.ok(stream.frames.every((frame) => frame.comment === undefined || frame.comment === 'heartbeat'));
}

async function filters(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--stats-interval-ms', '100'] });
  const client = context.client(server);
  const wanted = event({ session_id: 'a', agent_type: 'x', event_type: 'error' });
  const stream = await context.stream(server, '?session_id=a&agent_type=x&event_type=error');
  const { ids } = await client.ingest([
    event({ session_id: 'b', agent_type: 'x', event_type: 'error' }),
    event({ session_id: 'a', agent_type: 'y', event_type: 'error' }),
    event({ session_id: 'a', agent_type: 'x', event_type: 'tool_use' }),
    wanted,
  ]);
  await stream.waitFor(() => stream.ids.length >= 1, 'the event that passes');
  const shown = (): (readonly unknown[])[] =>
    stream.messages
      .filter((one) => one.type === 'stats')
      .map((one) => [(one.payload as { total_events: number }).total_events]);
  await stream.waitFor(() => shown().some(([total]) => total === 4), 'stats of all four events');
  assert.deepEqual(stream.ids, [ids[3]]);
  const stats = await client.get('/api/stats');
  assert.deepEqual(stream.messages.findLast((one) => one.type === 'stats')!.payload, stats.json());
}

async function resumption(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const first = await client.ingest(Array.from({ length: 600 }, () => event()));
  const all: number[] = [...first.ids];
  let writing = true;
  const writer = (async () => {
    const other = context.client(server);
    while (writing) all.push(...(await other.ingest([event(), event(), event()])).ids);
  })();
  const seen: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    const from = seen.at(-1) ?? 0;
    // Last-Event-ID takes precedence over ?after=, because it is newer when a client reconnects (STR-03).
    const stream =
      round % 2 === 0
        ? await context.stream(server, `?after=${from}`)
        : await context.stream(server, '?after=1', from);
    const enough = round === 0 ? 620 : 30;
    await stream.waitFor(() => stream.ids.length >= enough, `${enough} events after ${from}`);
    seen.push(...stream.ids);
    stream.close();
  }
  writing = false;
  await writer;
  const last = await context.stream(server, `?after=${seen.at(-1)}`);
  await last.waitFor(() => seen.length + last.ids.length >= all.length, 'the rest');
  assert.deepEqual([...seen, ...last.ids], all);
}

async function reset(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await client.ingest([event(), event()]);
  const { epoch } = (await client.get('/api/health')).json<{ epoch: string }>();
  const types = async (query: string, wait: number): Promise<string[]> => {
    const stream = await context.stream(server, query);
    await stream.waitFor(() => stream.frames.length >= wait, `${wait} frames of ${query}`);
    const { ids } = await client.ingest([event()]);
    await stream.waitFor(() => stream.ids.includes(ids[0]!), 'the live event');
    stream.close();
    return stream.messages.map((one) => one.type).filter((type) => type !== 'stats');
  };
  assert.deepEqual(await types('?after=0&epoch=00000000-0000-4000-8000-000000000000', 2), [
    'connected',
    'reset',
    'event',
  ]);
  assert.deepEqual(await types('?after=1000000', 2), ['connected', 'reset', 'event']);
  assert.deepEqual(await types(`?epoch=${epoch}`, 1), ['connected', 'event']);
  assert.deepEqual(await types(`?after=4&epoch=${epoch}`, 1), ['connected', 'event', 'event']);
}

async function badCursor(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  for (const value of ['x', '-1', '1.5']) {
    const stream = await SseClient.open(server.port, '/api/stream', [['last-event-id', value]]);
    context.atEnd(() => stream.close());
    assert.equal(stream.head?.status, 400, `Last-Event-ID ${JSON.stringify(value)}`);
    await stream.waitFor(() => stream.body.endsWith('}'), 'the error');
    assert.match(stream.body, /"code":"invalid_parameter"/);
  }
}

async function slots(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--max-stream-clients', '2'] });
  const first = await context.stream(server);
  await context.stream(server);
  const reply = await context.client(server).get('/api/stream');
  assert.equal(reply.status, 503);
  assert.equal(reply.text, '{"error":"SSE client limit reached","code":"stream_limit","max_clients":2}');
  assert.deepEqual(headerValues(reply.headers, 'retry-after'), []);
  first.close();
  await until(async () => {
    const again = await context.stream(server);
    if (again.head?.status === 200) return true;
    again.close();
    return false;
  }, 'the slot of the client that left');
}

async function lineEnds(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const stream = await context.stream(server);
  const body = '{"session_id":"s","agent_type":"a","event_type":"tool_use","metadata":{"a" :\r\n[1,\n 2]\r}}';
  const reply = await context.client(server).send('POST', '/api/events', Buffer.from(body), []);
  assert.equal(reply.status, 201);
  await stream.waitFor(() => stream.ids.length >= 1, 'the event');
  const frame = stream.frames.find((one) => one.id !== undefined)!;
  assert.ok(frame.data!.endsWith('"metadata":{"a" :  [1,  2] }}}'), frame.data!);
  const row = await context.client(server).get(`/api/events/${frame.id}`);
  assert.ok(row.text.endsWith('"metadata":{"a" :\r\n[1,\n 2]\r}}'), row.text);
}

async function duplicates(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const stream = await context.stream(server);
  await client.post('/api/events', event({ event_id: 'one' }));
  await client.post('/api/events', event({ event_id: 'one' }));
  const { ids } = await client.ingest([event({ event_id: 'one' }), event({ event_id: 'two' })]);
  await stream.waitFor(() => stream.ids.includes(ids[0]!), 'the second event');
  const names = stream.messages
    .filter((one) => one.type === 'event')
    .map((one) => (one.payload as { event_id: string }).event_id);
  assert.deepEqual(names, ['one', 'two']);
}
