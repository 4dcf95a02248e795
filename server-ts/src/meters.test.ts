import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAMILIES } from './contract/metrics.ts';
import { METRICS, ROUTES } from './contract.ts';
import { Histogram } from './histogram.ts';
import { Meters, sharedNowMs } from './meters.ts';
import { metricsText } from './metrics.ts';

test('paths match their routes', () => {
  const meters = new Meters();
  const route = (path: string): string | undefined => ROUTES[meters.routeOf(path)]?.path;
  assert.equal(route('/api/events'), '/api/events');
  assert.equal(route('/api/events/7'), '/api/events/{id}');
  assert.equal(route('/api/events/7/attachments/a.txt'), '/api/events/{id}/attachments/{name}');
  assert.equal(route('/api/snapshot/events'), '/api/snapshot/events');
  assert.equal(route('/api/snapshot/stats'), '/api/snapshot/{topic}');
  for (const path of ['/api/events/', '/api/events/7/', '/API/EVENTS', '/nowhere', '']) {
    assert.equal(route(path), undefined, path);
  }
});

test('a histogram counts a value at its bound', () => {
  const histogram = new Histogram('ingest_group_events');
  for (const value of [1, 2, 3, 20_000]) histogram.observe(value);
  assert.deepEqual(histogram.cumulative().slice(0, 3), [1, 2, 3]);
  assert.equal(histogram.cumulative().at(-1), 4);
  assert.equal(histogram.sum, 20_006);
});

test('a delivery is counted for an event of a known commit', () => {
  const meters = new Meters();
  const count = (): number | undefined => meters.deliveryLags.cumulative().at(-1);
  const commit = (group: number): void => meters.countGroup(10, 0, sharedNowMs(), (group + 1) * 10);
  meters.countDelivery(1);
  assert.equal(count(), 0, 'no commit is known');
  for (let group = 0; group < 3; group++) commit(group);
  meters.countDelivery(15);
  assert.equal(count(), 1);
  meters.countDelivery(31);
  assert.equal(count(), 1, 'the event is not committed');
  for (let group = 3; group < 1_027; group++) commit(group);
  meters.countDelivery(15);
  assert.equal(count(), 1, 'the commit is too old');
});

test('every family has a series once something was counted', async () => {
  const meters = new Meters();
  meters.countRequest(0, 0, 200, 1);
  const text = await metricsText(meters, {
    runtime: 'node',
    attachmentsBytes: 0,
    databaseBytes: 0,
    walBytes: 0,
    diskFreeBytes: 0,
    diskSizeBytes: 0,
    queueEvents: 0,
    queueLimitEvents: 0,
    isReady: true,
    retentionLimitBytes: 0,
    retentionLimitDays: 0,
    retentionUsedBytes: 0,
    eventClients: 0,
    invalidateClients: 0,
    forwardEvents: 0,
    forwardFailures: 0,
    forwardLastMs: 0,
    forwardLostEvents: 0,
    forwardRefusedEvents: 0,
    forwardWaitingEvents: 0,
    startTimeMs: 0,
  });
  for (const { name, type } of Object.values(FAMILIES))
    assert.ok(text.includes(`# TYPE ${name} ${type}\n`), name);
  assert.ok(text.includes('ingest_http_requests_total{method="GET",route="/",status="200"} 1\n'));
  assert.ok(text.includes('ingest_http_request_duration_seconds_bucket{route="/",le="0.001"} 1\n'));
});

test('events are counted by outcome and source', () => {
  const meters = new Meters();
  const { outcome: outcomes, source: sources } = METRICS.values;
  let count = 0;
  for (const outcome of outcomes) for (const source of sources) meters.countEvents(outcome, source, ++count);
  let expected = 0;
  for (const [outcome, source, found] of meters.events()) {
    assert.equal(found, ++expected, `${outcome} ${source}`);
  }
});
