/**
 * Tests how often readers of invalidations are notified: at their requested interval, or at their reading pace. A
 * client that does not read gets only the newest revisions and delays no other client. It is disconnected after three
 * heartbeats if it has read no byte.
 *
 * Upper bounds of times apply only where a faulty server would be late by a whole interval. Frames are small, and the
 * kernel buffers megabytes of them before a server is blocked. The topics therefore have long names that grow when
 * encoded, and every commit changes all of them.
 */
import assert from 'node:assert/strict';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import type { Invalidation, SseClient } from '@twin-ingest/testkit/http/sse-client.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const SYNC_PACE: ScenarioFile = {
  name: 'sync-pace',
  about: 'how often readers of invalidations are notified',
  scenarios: [
    {
      name: 'a change is reported at once after a silence, then only the newest after an interval',
      rules: ['SYN-04'],
      uses: 'each',
      run: leadingAndTrailing,
    },
    {
      name: 'a client is notified at most once in each interval',
      rules: ['SYN-04'],
      uses: 'each',
      run: interval,
    },
    {
      name: 'a client that does not read gets only the newest revision of every topic',
      rules: ['SYN-04', 'STR-08'],
      uses: 'each',
      run: latestWins,
    },
    {
      name: 'only a client that takes no byte for three heartbeats is disconnected',
      rules: ['SYN-04', 'STR-08'],
      uses: 'each',
      waits: true,
      run: stalledReader,
    },
  ],
};

/** Interval in milliseconds, long compared with a few requests. */
const INTERVAL_MS = 2_000;
/** Tolerance of timers, which count whole milliseconds from a rounded start. */
const TIMERS_MS = 20;

const TOPICS = 16;
/** Session ids. U+0001 takes one byte in an id, three bytes in an encoded path, and six in JSON. */
const IDS = Array.from({ length: TOPICS }, (_, index) =>
  `${String(index).padStart(2, '0')}${'\u0001'.repeat(60)}`.padEnd(256, 'x'),
);
const QUERY = `?mode=invalidate&topics=${IDS.map((id) => `session:${id.replaceAll('\u0001', '%2501')}`).join()}`;
/** More bytes than the buffers of both kernels and of the server hold. */
const FILL_BYTES = 20_000_000;

/** Returns the notifications without their epoch. */
function changesOf(invalidations: readonly Invalidation[]): [string, string][] {
  return invalidations.map(({ topic, revision }) => [topic, revision]);
}

/** Opens the stream and waits for the first frame of each topic. */
async function opened(
  context: ScenarioContext,
  server: RunningServer,
  query: string,
  topics: number,
): Promise<SseClient> {
  const stream = await context.stream(server, `?mode=invalidate&${query}`);
  await stream.waitFor(() => stream.invalidations.length >= topics, 'the frames that it opens with');
  return stream;
}

async function leadingAndTrailing(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const stream = await opened(context, server, `topics=events,stats&min_interval_ms=${INTERVAL_MS}`, 2);
  await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS + 100));
  const begun = performance.now();
  await client.ingest([event()]);
  await stream.waitFor(() => stream.invalidations.length >= 4, 'what came after a silence');
  const leading = performance.now() - begun;
  assert.ok(leading < INTERVAL_MS, `notified at once, and not after ${leading} ms`);
  for (let sent = 0; sent < 10; sent += 1) await client.ingest([event()]);
  await stream.waitFor(() => stream.revisionOf('stats') === '11', 'the newest of a burst');
  const trailing = performance.now() - begun;
  // `begun` is before the previous notification, so this time is at least an interval.
  assert.ok(trailing >= INTERVAL_MS - TIMERS_MS, `an interval later, and not after ${trailing} ms`);
  assert.deepEqual(changesOf(stream.invalidations).slice(2), [
    ['events', '1'],
    ['stats', '1'],
    ['events', '11'],
    ['stats', '11'],
  ]);
}

async function interval(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const begun = performance.now();
  const every = 100;
  const stream = await opened(context, server, `topics=events&min_interval_ms=${every}`, 1);
  const quick = await opened(context, server, 'topics=events', 1);
  let last = '';
  while (performance.now() - begun < 10 * every) last = (await client.ingest([event()])).revision;
  await stream.waitFor(() => stream.revisionOf('events') === last, 'the newest');
  await quick.waitFor(() => quick.revisionOf('events') === last, 'the newest without an interval');
  // The first notification comes at the start; each further one comes an interval after its predecessor.
  const most = 1 + Math.floor((performance.now() - begun + TIMERS_MS) / every);
  const notifications = stream.invalidations.length;
  assert.ok(notifications <= most, `${notifications} notifications, at most ${most}`);
  assert.ok(quick.invalidations.length > notifications, 'without an interval it is notified more often');
  context.note(
    `${last} commits, ${notifications} notifications, ${quick.invalidations.length} without an interval`,
  );
}

/** Changes every topic. */
async function raise(client: ApiClient): Promise<void> {
  await client.ingest(IDS.map((id) => event({ session_id: id })));
}

/** Returns the size of one commit in frames. */
async function bytesOfCommit(stream: SseClient): Promise<number> {
  await stream.waitFor(() => stream.invalidations.length >= TOPICS, 'the frames that it opens with');
  return stream.invalidations.reduce((sum, one) => sum + JSON.stringify(one).length, 0);
}

/** Checks that the revisions of each topic rise, and none is repeated. */
function requireRising(invalidations: readonly Invalidation[]): void {
  const last = new Map<string, number>();
  for (const { topic, revision } of invalidations) {
    assert.ok(Number(revision) > (last.get(topic) ?? -1), `${revision} after ${last.get(topic)}`);
    last.set(topic, Number(revision));
  }
  assert.equal(last.size, TOPICS);
}

async function latestWins(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const slow = await context.stream(server, QUERY);
  const quick = await context.stream(server, QUERY);
  const commits = Math.ceil(FILL_BYTES / (await bytesOfCommit(slow)));
  slow.pause();
  for (let sent = 0; sent < commits; sent += 1) await raise(client);
  const newest = String(commits * TOPICS);
  await quick.waitFor(
    () => quick.invalidations.at(-1)?.revision === newest,
    'the newest at the quick reader',
  );
  const before = slow.frames.length;
  slow.resume();
  await slow.waitFor(() => slow.invalidations.at(-1)?.revision === newest, 'the newest at the slow reader');
  const { invalidations } = slow;
  requireRising(invalidations);
  requireRising(quick.invalidations);
  const all = commits * TOPICS;
  assert.ok(before < TOPICS * 4, 'it read nothing while it was paused, or this shows nothing');
  assert.ok(invalidations.length < all * 0.9, `${invalidations.length} frames of ${all}`);
  const ends = invalidations.slice(-TOPICS).map((one) => one.revision);
  assert.deepEqual(
    ends,
    IDS.map((_, index) => String(all - TOPICS + 1 + index)),
    'the newest of all topics, in their order',
  );
  // The client is still connected, and is notified of later changes.
  await raise(client);
  await slow.waitFor(() => slow.invalidations.at(-1)?.revision === String(all + TOPICS), 'what comes next');
  context.note(`${commits} commits, ${invalidations.length} of ${all} frames at the slow reader`);
}

async function stalledReader(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--heartbeat-ms', '1000', '--max-stream-clients', '2'] });
  const client = context.client(server);
  const stalled = await context.stream(server, QUERY);
  const quick = await context.stream(server, QUERY);
  const commits = Math.ceil(FILL_BYTES / (await bytesOfCommit(stalled)));
  stalled.pause();
  const clients = async (): Promise<number> =>
    (await client.get('/api/health')).json<{ sse_clients: number }>().sse_clients;
  for (let sent = 0; sent < commits; sent += 1) await raise(client);
  await until(async () => (await clients()) === 1, 'the stalled reader to be closed', 20_000);
  stalled.resume();
  await stalled.waitFor(() => stalled.ended, 'the end of the stalled connection');
  assert.ok(stalled.invalidations.length < commits * TOPICS, 'what did not fit was not kept for it');
  assert.ok(!quick.ended, 'who reads is not closed');
  const again = await context.stream(server, QUERY);
  assert.equal(again.head?.status, 200);
}
