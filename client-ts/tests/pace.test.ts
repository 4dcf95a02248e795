/** Tests when repeated requests lead to calls. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@twin-ingest/testkit/fake-clock.ts';
import { CLOCK } from '../src/clock.ts';
import { Pace, type PaceOptions } from '../src/pace.ts';

const PLAIN: PaceOptions = { throttle_ms: 0, debounce_ms: 0, leading: true, trailing: true };

/** Returns the times of the calls that follow requests at these times. */
async function callsOf(
  options: Partial<PaceOptions>,
  wishes: readonly number[],
  until: number,
): Promise<number[]> {
  const clock = new FakeClock();
  const calls: number[] = [];
  const pace = new Pace({ ...PLAIN, ...options }, clock, () => calls.push(clock.now()));
  for (const at of wishes) {
    await clock.pass(at - clock.now());
    pace.want();
  }
  await clock.pass(until - clock.now());
  return calls;
}

test('without throttle and debounce each request is a call', async () => {
  assert.deepEqual(await callsOf({}, [0, 0, 1, 5], 100), [0, 0, 1, 5]);
});

test('a throttle passes the first request at once and coalesces the rest', async () => {
  assert.deepEqual(await callsOf({ throttle_ms: 100 }, [0, 10, 20, 250], 1000), [0, 100, 250]);
  assert.deepEqual(await callsOf({ throttle_ms: 100, trailing: false }, [0, 10, 20, 250], 1000), [0, 250]);
  assert.deepEqual(await callsOf({ throttle_ms: 100, leading: false }, [0, 10, 20, 250], 1000), [100, 350]);
});

test('calls are at least the throttle apart at any rate of requests', async () => {
  const wishes = Array.from({ length: 600 }, (_, i) => i * 16);
  const calls = await callsOf({ throttle_ms: 250 }, wishes, 20_000);
  assert.ok(calls.every((at, i) => i === 0 || at - calls[i - 1]! >= 250));
  assert.ok(calls.at(-1)! >= wishes.at(-1)!);
  assert.equal(calls[0], 0);
});

test('a debounce waits for a pause', async () => {
  const wishes = Array.from({ length: 10 }, (_, i) => i * 10);
  assert.deepEqual(await callsOf({ debounce_ms: 50 }, wishes, 1000), [140]);
});

test('with both, the output of the debounce is throttled', async () => {
  assert.deepEqual(
    await callsOf({ debounce_ms: 10, throttle_ms: 100 }, [0, 5, 30, 60, 300], 1000),
    [15, 115, 310],
  );
});

test("setting the wall clock moves no call, and the pace's clock never goes back", async (t) => {
  let wall_ms = 1_771_437_601_000;
  t.mock.method(Date, 'now', () => {
    wall_ms -= 3_600_000;
    return wall_ms;
  });
  assert.deepEqual(await callsOf({ throttle_ms: 100 }, [0, 10, 20, 250], 1000), [0, 100, 250]);
  const times = Array.from({ length: 100 }, () => CLOCK.now());
  assert.ok(times.every((now, i) => i === 0 || now >= times[i - 1]!));
  const called = Promise.withResolvers<void>();
  const pace = new Pace({ ...PLAIN, throttle_ms: 1, leading: false }, CLOCK, called.resolve);
  pace.want();
  await called.promise;
  pace.stop();
});

test('after a stop there is no call', async () => {
  for (const options of [{ throttle_ms: 100 }, { debounce_ms: 100 }]) {
    const clock = new FakeClock();
    let calls = 0;
    const pace = new Pace({ ...PLAIN, ...options }, clock, () => calls++);
    pace.want();
    pace.want();
    const before = calls;
    pace.stop();
    pace.want();
    await clock.pass(1000);
    assert.deepEqual([calls, clock.waiting], [before, 0]);
  }
});
