/** Tests sending when a page may be about to close: by a request that outlives it. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '@twin-ingest/testkit/fake-clock.ts';
import type { SentEvent } from '../src/batch.ts';
import type { Fetch } from '../src/fetch.ts';
import { Sender, type SenderOptions } from '../src/send.ts';
import { event, refused, stored } from './fake-ingest.ts';

/** Defines a global for the duration of the test. */
function define(t: TestContext, name: string, value: unknown): void {
  const before = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { value, configurable: true });
  t.after(() => {
    if (before === undefined) Reflect.deleteProperty(globalThis, name);
    else Object.defineProperty(globalThis, name, before);
  });
}

/** Starts a sender on a fake page. Returns the ids of each request with `keepalive`. */
function onPage(t: TestContext, options: SenderOptions = {}, answer = stored(1)) {
  const page = new EventTarget();
  const document = { visibilityState: 'visible' };
  define(t, 'addEventListener', page.addEventListener.bind(page));
  define(t, 'document', document);
  const sent: (string | undefined)[][] = [];
  const clock = new FakeClock();
  const fetch: Fetch = async (_, { body, keepalive }) => {
    const { events } = JSON.parse(String(body)) as { events: SentEvent[] };
    if (keepalive) sent.push(events.map(({ event_id }) => event_id));
    return answer.clone();
  };
  const sender = new Sender({ fetch, clock, random: () => 1, ...options });
  return { page, document, sent, clock, sender };
}

test('a closing page sends as many events as fit into a request that outlives it', (t) => {
  const { page, sent, sender } = onPage(t);
  sender.send(event({ event_id: 'large', metadata: 'x'.repeat(70_000) }));
  sender.send(event({ event_id: 'small' }));
  page.dispatchEvent(new Event('pagehide'));
  assert.deepEqual(sent, [['small']]);
  sender.stop();
  page.dispatchEvent(new Event('pagehide'));
  assert.equal(sent.length, 1);
});

test('a hidden page sends its waiting events, and a visible page does not', (t) => {
  const { page, document, sent, sender } = onPage(t);
  sender.send(event({ event_id: 'a' }));
  page.dispatchEvent(new Event('visibilitychange'));
  assert.deepEqual(sent, []);
  document.visibilityState = 'hidden';
  page.dispatchEvent(new Event('visibilitychange'));
  assert.deepEqual(sent, [['a']]);
  sender.stop();
});

test("a closing page sends no more events than the server's limit", async (t) => {
  const tooLarge = refused(413, 'batch_too_large', {}, { limit: 2, actual: 3 });
  const { page, sent, clock, sender } = onPage(t, { batch_events: 3 }, tooLarge);
  for (const event_id of ['a', 'b', 'c']) sender.send(event({ event_id }));
  await clock.pass(0);
  for (const event_id of ['d', 'e', 'f']) sender.send(event({ event_id }));
  page.dispatchEvent(new Event('pagehide'));
  assert.deepEqual(sent, [['d', 'e']]);
  sender.stop();
});
