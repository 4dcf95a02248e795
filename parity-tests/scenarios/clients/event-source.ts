/**
 * Tests `eventsource`, the most used client of server-sent events for Node, across restarts. By its `Last-Event-ID`
 * it gets each event once and in order, from either server.
 */
import assert from 'node:assert/strict';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { EventSource } from 'eventsource';
import { type ScenarioContext, until } from '../../src/scenario.ts';

/** The way in which the server ends before each restart; after the last end the other server continues. */
const ENDS = ['stop', 'kill', 'stop'] as const;

export async function acrossRestarts(context: ScenarioContext): Promise<void> {
  let server = await context.start();
  const { port } = server;
  const stored: number[] = [];
  const store = async (client: ApiClient): Promise<void> => {
    for (let request = 0; request < 20; request += 1)
      stored.push(...(await client.ingest([event(), event({ metadata: { text: 'ü "\n' } })])).ids);
  };
  await store(context.client(server));
  // Events from before the client connected are not sent.
  stored.length = 0;

  const source = new EventSource(`http://127.0.0.1:${port}/api/stream`);
  context.atEnd(() => source.close());
  const seen: number[] = [];
  let connections = 0;
  source.addEventListener('message', ({ data, lastEventId }) => {
    const message = JSON.parse(data as string) as { type: string; payload: { id: number } };
    if (message.type === 'connected') connections += 1;
    if (message.type === 'reset') assert.fail('the stream begins anew');
    if (message.type !== 'event') return;
    assert.equal(lastEventId, String(message.payload.id));
    seen.push(message.payload.id);
  });
  await until(() => connections === 1, 'the stream');
  await store(context.client(server));
  await until(() => seen.length >= stored.length, 'the events before the first restart');
  for (const [restart, end] of ENDS.entries()) {
    const written = store(context.client(server));
    // The client is between two events when the server ends.
    await until(() => seen.length > restart, 'some of them');
    await written;
    await server[end]();
    const target = restart === ENDS.length - 1 ? context.other : context.target;
    server = await context.start({ target, flags: ['--port', String(port)] });
    await store(context.client(server));
    await until(() => connections === restart + 2, 'the stream after a restart', 20_000);
    await store(context.client(server));
    await until(() => seen.length >= stored.length, `the events after restart ${restart + 1}`);
  }
  assert.deepEqual(seen, stored);
}
