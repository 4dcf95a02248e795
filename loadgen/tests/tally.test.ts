/** What counts as acknowledged, and what as failed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tally } from '../src/drivers/tally.ts';

const KNOWN = { sent_event_ids: 6, errors: 0, timeouts: 0, generator_cpu_us: 1 };

test('only what a 2xx answer says was received counts as acknowledged', () => {
  const tally = new Tally(4);
  const sentAt = [tally.sent(2, 100), tally.sent(2, 100), tally.sent(2, 100), tally.sent(2, 100)];
  tally.answered(201, '{"received":1,"ids":[1],"duplicates":1,"rejected":[]}', sentAt[0]!);
  tally.answered(503, '{"received":2,"ids":[],"duplicates":0,"rejected":[]}', sentAt[1]!);
  tally.answered(
    201,
    '{"received":1,"ids":[2],"duplicates":0,"rejected":[{"index":1,"errors":["x"]}]}',
    sentAt[2]!,
  );
  tally.answered(201, 'received 2', sentAt[3]!);
  const sent = tally.result(KNOWN);
  assert.equal(sent.received_events, 2);
  assert.equal(sent.duplicate_events, 1);
  assert.equal(sent.rejected_events, 1);
  assert.equal(sent.non_2xx, 2, 'the 503, and the answer that cannot be read');
  assert.deepEqual(sent.status_codes, { '201': 3, '503': 1 });
  assert.deepEqual([sent.requests, sent.sent_events, sent.sent_bytes], [4, 8, 400]);
  assert.equal(
    sent.acknowledged_per_second.reduce((a, b) => a + b, 0),
    2,
  );
});

test('latencies keep what is below a millisecond', () => {
  const tally = new Tally(1);
  const sentAt = tally.sent(1, 1);
  tally.answered(201, '{"received":1,"ids":[1],"duplicates":0,"rejected":[]}', sentAt - 0.25);
  const { latency } = tally.result(KNOWN);
  assert.ok(latency!.p50_ms >= 0.25 && latency!.p50_ms < 1000);
  assert.notEqual(latency!.p50_ms, Math.round(latency!.p50_ms));
});

test('without answers there is no latency', () => {
  assert.equal(new Tally(0).result(KNOWN).latency, null);
});
