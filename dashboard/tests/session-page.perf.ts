/** Measures the frames while the page of a session with 20,000 events scrolls in Chromium. `pnpm test:perf` runs it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { onFile, post } from './servers.ts';
import { longSession } from './story.ts';

const EVENTS = 20_000;
const BATCH = 1000;
/** Distance of each frame: the whole timeline passes in about ten seconds. */
const STEP_PX = 450;
const FRAMES = 600;

/** Scrolls by one step each frame; returns the times between frames, in milliseconds. */
const SCROLL = `new Promise((resolve) => {
  const box = document.getElementById('timeline');
  const times = [];
  let last = performance.now();
  const frame = (now) => {
    times.push(now - last);
    last = now;
    box.scrollTop += ${STEP_PX};
    if (times.length < ${FRAMES}) requestAnimationFrame(frame);
    else resolve({ times: times.slice(2), end: box.scrollTop });
  };
  requestAnimationFrame(frame);
})`;

for (const name of TARGET_NAMES) {
  test(`${name}: 20,000 events scroll with 60 frames per second`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    const events = longSession('long', EVENTS);
    for (let at = 0; at < EVENTS; at += BATCH) await post(url, events.slice(at, at + BATCH));
    const browser = await launch();
    t.after(() => browser.close());
    const started = performance.now();
    const { page, errors } = await open(browser, url, { path: '/#/session/long' });
    await page.getByText('9,500 tool calls').waitFor();
    const loaded_ms = performance.now() - started;
    await page.getByRole('button', { name: 'Open all' }).click();
    await page.waitForSelector('[role="treegrid"][aria-rowcount="10000"]');
    const { times, end } = await page.evaluate<{ times: number[]; end: number }>(SCROLL);
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!;
    const late = times.filter((ms) => ms > 25).length;
    const rate = (1000 * times.length) / times.reduce((sum, ms) => sum + ms, 0);
    t.diagnostic(
      `${rate.toFixed(1)} frames per second over ${Math.round(end)} px; p50 ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms; ${late} of ${times.length} frames late; all events after ${loaded_ms.toFixed(0)} ms`,
    );
    assert.ok(rate > 57 && at(0.95) < 20, 'a frame every 16.7 ms');
    assert.deepEqual(errors, []);
  });
}
