import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Places } from '../src/hub.ts';
import { Invalidations, type RevisionSource, type Subscription } from '../src/invalidations.ts';
import { parseTopics } from '../src/topics.ts';

const LONG_MS = 60_000;

/** An in-memory store; reads wait until the test releases them. */
class Source implements RevisionSource {
  newest = 0;
  readonly sessions = new Map<string, number>();
  readonly reads: (readonly string[])[] = [];
  inFlight = 0;
  mostInFlight = 0;
  /** Reads wait for this promise if it is set. */
  gate: Promise<void> | undefined;
  failure: Error | undefined;

  async sessionRevisions(ids: readonly string[]): Promise<Float64Array> {
    this.reads.push(ids);
    this.inFlight++;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    const found = Float64Array.from(ids, (id) => this.sessions.get(id) ?? 0);
    await this.gate;
    this.inFlight--;
    if (this.failure !== undefined) throw this.failure;
    return found;
  }
}

interface Fixture {
  readonly source: Source;
  readonly invalidations: Invalidations;
  readonly places: Places;
  readonly failures: unknown[];
  /** Stores an event of this session, or of a session that no client follows. */
  store(session?: string): void;
  follow(topics: string, minIntervalMs?: number): Subscription;
}

function fixture(places = new Places(10)): Fixture {
  const source = new Source();
  const failures: unknown[] = [];
  const invalidations = new Invalidations(source, places, (error) => failures.push(error));
  return {
    source,
    invalidations,
    places,
    failures,
    store(session) {
      source.newest++;
      if (session !== undefined) source.sessions.set(session, source.newest);
      invalidations.published();
    },
    follow(topics, minIntervalMs = 0) {
      const subscription = invalidations.subscribe(parseTopics(topics)!, minIntervalMs);
      assert.ok(subscription);
      return subscription;
    },
  };
}

/** Returns the next changes as text. */
async function next(subscription: Subscription, idleMs = LONG_MS): Promise<string> {
  const changes = await subscription.next(idleMs);
  if (typeof changes === 'string') return changes;
  return changes.map(({ topic, revision }) => `${topic.name} ${revision}`).join(', ');
}

/** Waits for a turn of the event loop, in which pending notifications are sent. */
const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

test('the first report has every topic in the given order, later ones only changes', async () => {
  const { follow, store, source } = fixture();
  source.newest = 6;
  store('s');
  const subscription = follow('stats,session:none,events,session:s');
  assert.equal(await next(subscription), 'stats 7, session:none 0, events 7, session:s 7');
  store('other');
  assert.equal(await next(subscription), 'stats 8, events 8');
  store('s');
  assert.equal(await next(subscription), 'stats 9, events 9, session:s 9');
});

test('several commits between two reads are one change', async () => {
  const { follow, store } = fixture();
  const subscription = follow('events,session:s');
  assert.equal(await next(subscription), 'events 0, session:s 0');
  for (let n = 0; n < 100; n++) store('s');
  assert.equal(await next(subscription), 'events 100, session:s 100');
  assert.equal(await next(subscription, 10), 'idle');
});

test('commits in one turn of the event loop are reported together', async () => {
  const { follow, store } = fixture();
  const subscription = follow('events');
  await next(subscription);
  const waiting = next(subscription);
  for (let n = 0; n < 5; n++) store();
  assert.equal(await waiting, 'events 5');
});

test('changes are reported at most once per interval, and at once after a longer silence', async () => {
  // Interval in milliseconds, far longer than an immediate notification takes.
  const INTERVAL_MS = 1_000;
  const { follow, store } = fixture();
  const subscription = follow('events', INTERVAL_MS);
  assert.equal(await next(subscription), 'events 0');
  const reported = performance.now();
  const waiting = next(subscription);
  store();
  await turn();
  store();
  assert.equal(await waiting, 'events 2');
  assert.ok(performance.now() - reported >= INTERVAL_MS);

  // No change during the interval: the client gets `idle`, which does not restart the interval.
  assert.equal(await next(subscription, 2 * INTERVAL_MS), 'idle');
  const late = next(subscription, LONG_MS);
  const stored = performance.now();
  store();
  assert.equal(await late, 'events 3');
  assert.ok(performance.now() - stored < INTERVAL_MS);
});

test('a silence within the interval is reported and does not end it', async () => {
  const { follow, store } = fixture();
  const subscription = follow('events', LONG_MS);
  await next(subscription);
  store();
  assert.equal(await next(subscription, 10), 'idle');
  assert.equal(await next(subscription, 10), 'idle');
});

test('a client inside its interval is not notified', async () => {
  const { follow, store, source } = fixture();
  const inside = follow('session:a', LONG_MS);
  await next(inside);
  const waiting = next(inside);
  const slow = follow('session:b');
  await next(slow);
  const reads = source.reads.length;
  for (let n = 0; n < 10; n++) {
    store('a');
    await turn();
  }
  assert.equal(source.reads.length, reads);
  inside.close();
  assert.equal(await waiting, 'end');
  source.sessions.set('b', 11);
  assert.equal(await next(slow), 'session:b 11');
});

test('sessions of all waiting clients are read together, one read at a time', async () => {
  const { follow, store, source } = fixture();
  const subscriptions = ['session:a', 'session:a,session:b', 'session:b,events'].map((list) => follow(list));
  await Promise.all(subscriptions.map((subscription) => next(subscription)));
  const gate = Promise.withResolvers<void>();
  source.gate = gate.promise;
  source.reads.length = 0;
  const waiting = subscriptions.map((subscription) => next(subscription));
  store('a');
  await turn();
  assert.deepEqual(source.reads, [['a', 'b']]);
  // While that read is in progress, all other changes wait for the next one.
  for (let n = 0; n < 20; n++) {
    store('b');
    await turn();
  }
  assert.equal(source.reads.length, 1);
  source.gate = undefined;
  gate.resolve();
  const [first, second, third] = await Promise.all(waiting);
  assert.deepEqual([first, second], ['session:a 1', 'session:a 1']);
  assert.equal(third, 'session:b 0, events 21'.slice('session:b 0, '.length));
  assert.equal(await next(subscriptions[1]!), 'session:b 21');
  assert.equal(source.mostInFlight, 1);
});

test('a failed read is reported, and its changes follow later', async () => {
  const { follow, store, source, failures } = fixture();
  const subscription = follow('session:s');
  await next(subscription);
  const waiting = next(subscription);
  source.failure = new Error('no answer');
  store('s');
  await turn();
  assert.equal(failures.length, 1);
  source.failure = undefined;
  store();
  assert.equal(await waiting, 'session:s 1');
});

test('both modes share the places, and each is freed once', () => {
  const places = new Places(2);
  const { invalidations, follow } = fixture(places);
  assert.ok(places.take());
  const subscription = follow('events');
  assert.equal(invalidations.subscribe(parseTopics('events')!, 0), undefined);
  subscription.close();
  subscription.close();
  assert.equal(places.taken, 1);
  follow('events');
});

test('a wait for a revision ends with it, by time-out, by abort, or on close', async () => {
  const { invalidations, store } = fixture();
  const never = new AbortController().signal;
  await invalidations.reached(0, LONG_MS, never);
  let reached = 0;
  const count = (waiting: Promise<void>) =>
    waiting.then(() => {
      reached++;
    });
  const second = count(invalidations.reached(2, LONG_MS, never));
  const first = count(invalidations.reached(1, LONG_MS, never));
  store();
  await first;
  assert.equal(reached, 1);
  store();
  await second;
  await invalidations.reached(9, 5, never);
  const leaving = new AbortController();
  const left = invalidations.reached(9, LONG_MS, leaving.signal);
  leaving.abort();
  await left;
  const ended = invalidations.reached(9, LONG_MS, never);
  invalidations.close();
  await ended;
  await invalidations.reached(9, LONG_MS, never);
});

test('closing ends waiting clients and refuses new ones', async () => {
  const { invalidations, follow } = fixture();
  const subscription = follow('events', LONG_MS);
  await next(subscription);
  const waiting = next(subscription);
  invalidations.close();
  assert.equal(await waiting, 'end');
  assert.equal(invalidations.subscribe(parseTopics('events')!, 0), undefined);
});
