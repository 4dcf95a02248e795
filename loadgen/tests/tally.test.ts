/** Tests which responses count as acknowledged, and which as failed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tally } from '../src/load/drivers/tally.ts';

const KNOWN = { errors: 0, timeouts: 0, generator_cpu_us: 1 };

test('only what a 2xx answer says was received counts as acknowledged', () => {
  const tally = new Tally();
  for (const [status, body] of [
    [201, '{"received":1,"ids":[1],"duplicates":1,"rejected":[]}'],
    [503, '{"received":2,"ids":[],"duplicates":0,"rejected":[]}'],
    [201, '{"received":1,"ids":[2],"duplicates":0,"rejected":[{"index":1,"errors":["x"]}]}'],
    [201, 'received 2'],
    // The answer to a single event has no `rejected`, and a duplicate is a 200.
    [201, '{"received":1,"ids":[7],"duplicates":0}'],
    [200, '{"received":0,"ids":[],"duplicates":1}'],
    [201, '{"received":1,"ids":[8],"duplicates":0,"rejected":1}'],
  ] as const)
    tally.answered(status, body, tally.sent(2, 100));
  tally.sent(1, 1);
  const sent = tally.result(KNOWN);
  assert.deepEqual([sent.received_events, sent.duplicate_events, sent.rejected_events], [3, 2, 1]);
  assert.deepEqual([sent.non_2xx, sent.status_codes], [3, { '200': 1, '201': 5, '503': 1 }]);
  assert.deepEqual([sent.requests, sent.sent_events, sent.sent_bytes], [8, 15, 701]);
  assert.equal(tally.requests - tally.answers, 1);
});

test('what was due counts from then, the send delay to its writing, the generator’s own from a free connection', () => {
  const due = new Tally().sent(1, 10) - 50.25;
  const late = new Tally();
  assert.equal(late.sent(1, 10, due), due);
  late.written(due, due + 30);
  late.answered(201, '{"received":1,"ids":[7],"duplicates":0}', due);
  const { send_delay, latency, generator_delay, duration_ms } = late.result(KNOWN);
  assert.ok(send_delay!.max_ms >= 50.2, String(send_delay!.max_ms));
  assert.ok(latency!.max_ms >= send_delay!.max_ms);
  assert.notEqual(latency!.p50_ms, Math.round(latency!.p50_ms), 'latencies keep what is below a millisecond');
  const waited = send_delay!.max_ms - generator_delay!.max_ms;
  assert.ok(Math.abs(waited - 30) <= 0.2, String(waited));
  assert.ok(duration_ms >= 50);
});

test('without answers there is no latency', () => {
  const { latency, send_delay, duration_ms } = new Tally().result(KNOWN);
  assert.deepEqual([latency, send_delay, duration_ms], [null, null, 0]);
});
