/** Tests which responses count as acknowledged, and which as failed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tally } from '../src/load/drivers/tally.ts';

const KNOWN = { sent_event_ids: 6, errors: 0, timeouts: 0, generator_cpu_us: 1 };

test('only what a 2xx answer says was received counts as acknowledged', () => {
  const tally = new Tally();
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
});

test('latencies keep what is below a millisecond', () => {
  const tally = new Tally();
  const sentAt = tally.sent(1, 1);
  tally.answered(201, '{"received":1,"ids":[1],"duplicates":0,"rejected":[]}', sentAt - 0.25);
  const { latency } = tally.result(KNOWN);
  assert.ok(latency!.p50_ms >= 0.25 && latency!.p50_ms < 1000);
  assert.notEqual(latency!.p50_ms, Math.round(latency!.p50_ms));
});

test('the answer to a single event has no rejected, and a duplicate is a 200', () => {
  const tally = new Tally();
  const from = tally.sent(1, 10);
  tally.answered(201, '{"received":1,"ids":[7],"duplicates":0}', from);
  tally.answered(200, '{"received":0,"ids":[],"duplicates":1}', tally.sent(1, 10));
  tally.answered(201, '{"received":1,"ids":[8],"duplicates":0,"rejected":1}', tally.sent(1, 10));
  const sent = tally.result(KNOWN);
  assert.deepEqual([sent.received_events, sent.duplicate_events, sent.non_2xx], [1, 1, 1]);
});

test('latency and duration of what was due count from then, the send delay to its writing; the generator’s own from a free connection', () => {
  const tally = new Tally();
  const due = tally.sent(1, 10) - 50;
  const late = new Tally();
  assert.equal(late.sent(1, 10, due), due);
  late.written(due, due + 30);
  late.answered(201, '{"received":1,"ids":[7],"duplicates":0}', due);
  const sent = late.result(KNOWN);
  assert.ok(sent.send_delay!.max_ms >= 49.9, String(sent.send_delay!.max_ms));
  assert.ok(sent.latency!.max_ms >= sent.send_delay!.max_ms);
  const waited = sent.send_delay!.max_ms - sent.generator_delay!.max_ms;
  assert.ok(Math.abs(waited - 30) <= 0.2, String(waited));
  assert.ok(sent.duration_ms >= 50);
});

test('requests without an answer are known', () => {
  const tally = new Tally();
  tally.answered(503, '', tally.sent(1, 1));
  tally.sent(1, 1);
  assert.equal(tally.unanswered, 1);
});

test('without answers there is no latency', () => {
  const { latency, send_delay, dropped_requests } = new Tally().result(KNOWN);
  assert.deepEqual([latency, send_delay, dropped_requests], [null, null, 0]);
});
