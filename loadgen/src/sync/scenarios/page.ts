/**
 * The dashboard of each server in a Chromium of this system. Measures how soon it shows rows of a full database, and
 * its CPU use during a load.
 *
 * Invariants: every run has a fresh profile, and nothing is cached. The browser ends with the run.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { missing } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch as launchBrowser } from '@twin-ingest/testkit/browser/page.ts';
import type { Browser } from 'playwright-core';
import { BenchFailure } from '../../failure.ts';
import { Host, withHost } from '../../run/host.ts';
import { repeated, type Scenario } from '../scenario.ts';

const FILL = { batch: 500, connections: 8, seconds: 600 };
/** Small batches, so that many commits notify the page. */
const LOAD = { per_s: 1000, batch: 10, connections: 4 };
const PATIENCE_MS = 30_000;

/** Script that records, by the page's own clock, the first frame that is drawn after a row of the event list exists. */
const NOTE_ROWS = `
  const look = () => {
    if (!document.querySelector('[role="rowgroup"] [role="row"]')) return requestAnimationFrame(look);
    requestAnimationFrame(() => { document.documentElement.dataset.benchRowsShown = performance.now(); });
  };
  requestAnimationFrame(look);
`;

export const page: Scenario = async (server, { sizes, launch, poster, add, skip }) => {
  const { page_events: events } = sizes;
  if (missing !== false) return skip(missing);
  await withHost(Host.start(server, launch), async (host) => {
    const filled = await poster.post(host, { ...FILL, requests: events / FILL.batch });
    if (filled.events !== events)
      throw new BenchFailure('generator_failed', `${filled.events} of ${events} events were posted`);
    await sleep(sizes.page_rest_ms);
    const browser = await launchBrowser().catch(failed('the browser did not start'));
    const release = launch.lifetime.add(() => browser.close());
    // The first open warms up the server and the browser, and does not count.
    const [, ...opens] = await repeated(sizes.page_opens + 1, async () => {
      const { opened, open_ms } = await open(browser, host.url);
      await opened.context().close();
      return { open_ms };
    });
    await open(browser, host.url);
    // The warm-up load outlasts the work of opening the page and compiles the code that handles events.
    await poster.offer(host, LOAD, sizes.load_warm_up_s);
    const before = await rendererCpu(browser);
    const { started_ms, ended_ms } = await poster.offer(host, LOAD, sizes.page_load_s);
    const after = await rendererCpu(browser);
    await release();
    const used_s = [...after].reduce((sum, [id, used]) => sum + (used - (before.get(id) ?? used)), 0);
    const renderer_cpu_share = (used_s * 1000) / (ended_ms - started_ms);
    add({ events, load_events_per_s: LOAD.per_s }, [...opens, { renderer_cpu_share }]);
  });
};

/** Opens the page with an empty cache. `open_ms` is the time from the navigation until the first rows are shown. */
async function open(browser: Browser, url: string) {
  const opened = await (await browser.newContext()).newPage();
  await opened.addInitScript(NOTE_ROWS);
  const fail = failed('the page showed no rows');
  await opened.goto(`${url}/`).catch(fail);
  // The time is passed in an attribute, because the page's content security policy forbids evaluating a script text.
  const shown = opened.locator('html[data-bench-rows-shown]');
  await shown.waitFor({ state: 'attached', timeout: PATIENCE_MS }).catch(fail);
  return { opened, open_ms: Number(await shown.getAttribute('data-bench-rows-shown')) };
}

/** Returns a function that fails the run with this message and the error. */
function failed(message: string) {
  return (error: unknown): never => {
    throw new BenchFailure('browser_failed', message, [String(error)]);
  };
}

/** Returns the CPU seconds of each renderer so far, by process id. The other processes of the browser are left out. */
async function rendererCpu(browser: Browser): Promise<ReadonlyMap<number, number>> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const renderers = processInfo.filter(({ type }) => type === 'renderer');
  return new Map(renderers.map(({ id, cpuTime }) => [id, cpuTime]));
}
