/**
 * The dashboard of each server in a Chromium of this system. Measures how soon it shows rows of a full database, and
 * its CPU use during a load.
 *
 * Invariants: every run has a fresh profile, and nothing is cached. The browser ends with the run.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { missing } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch as launchBrowser } from '@twin-ingest/testkit/browser/page.ts';
import type { Browser, Page } from 'playwright-core';
import { BenchFailure } from '../../failure.ts';
import { Host, withHost } from '../../run/host.ts';
import { FigureValues } from '../figure.ts';
import type { Posted } from '../poster-process.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';

const FILL = { batch: 500, connections: 8, seconds: 600 };
const LOAD_PER_S = 1000;
/** Small batches, so that many commits notify the page. */
const LOAD = { per_s: LOAD_PER_S, batch: 10, connections: 4 };

/** Script that records, by the page's own clock, the first frame that is drawn after a row of the event list exists. */
const NOTE_ROWS = `
  const look = () => {
    if (!document.querySelector('[role="rowgroup"] [role="row"]')) return requestAnimationFrame(look);
    requestAnimationFrame(() => { document.documentElement.dataset.benchRowsShown = performance.now(); });
  };
  requestAnimationFrame(look);
`;

export const pageScenario: Scenario = {
  name: 'page',
  async measure(server, context) {
    const { sizes, launch } = context;
    if (missing !== false) {
      context.skip(missing);
      return;
    }
    await withHost(Host.start(server, launch), async (host) => {
      await fill(host, context);
      await sleep(sizes.page_rest_ms);
      const browser = await launchBrowser().catch(failed('the browser did not start'));
      const release = launch.lifetime.add(() => browser.close());
      const values = new FigureValues();
      // The first open warms up the server and the browser, and does not count.
      for (let i = 0; i <= sizes.page_opens; i++) {
        const { page, open_ms } = await open(browser, host.url, sizes.patience_ms);
        if (i > 0) values.add({ open_ms });
        await page.context().close();
      }
      await open(browser, host.url, sizes.patience_ms);
      // The warm-up load outlasts the work of opening the page and compiles the code that handles events.
      await load(host, context, sizes.load_warm_up_s);
      const before = await rendererCpu(browser);
      const posted = await load(host, context, sizes.page_load_s);
      const took_s = (posted.ended_ms - posted.started_ms) / 1000;
      values.add({ renderer_cpu_share: cpuBetween(before, await rendererCpu(browser)) / took_s });
      await release();
      const parameters = { events: sizes.page_events, load_events_per_s: LOAD_PER_S };
      context.add({ parameters, figures: values.all(), latency: null });
    });
  },
};

async function fill(host: Host, { sizes, poster }: ScenarioContext): Promise<void> {
  const { page_events } = sizes;
  const { events } = await poster.post(host, { ...FILL, requests: page_events / FILL.batch });
  if (events !== page_events)
    throw new BenchFailure('generator_failed', `${events} of ${page_events} events were posted`);
}

function load(host: Host, { poster }: ScenarioContext, seconds: number): Promise<Posted> {
  const requests = Math.max(1, Math.round((LOAD_PER_S * seconds) / LOAD.batch));
  return poster.post(host, { ...LOAD, requests });
}

/** Opens the page with an empty cache. `open_ms` is the time from the navigation until the first rows are shown. */
async function open(
  browser: Browser,
  url: string,
  patience_ms: number,
): Promise<{ readonly page: Page; readonly open_ms: number }> {
  const page = await (await browser.newContext()).newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.addInitScript(NOTE_ROWS);
  const fail = failed('the page showed no rows', errors);
  await page.goto(`${url}/`).catch(fail);
  // The time is passed in an attribute, because the page's content security policy forbids evaluating a script text.
  const shown = page.locator('html[data-bench-rows-shown]');
  await shown.waitFor({ state: 'attached', timeout: patience_ms }).catch(fail);
  return { page, open_ms: Number(await shown.getAttribute('data-bench-rows-shown')) };
}

/** Returns a function that fails the run with this message and the error. */
function failed(message: string, more: readonly string[] = []) {
  return (error: unknown): never => {
    throw new BenchFailure('browser_failed', message, [String(error), ...more]);
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

/** Adds what the renderers that are in both readings used between them. */
function cpuBetween(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  return [...after].reduce((sum, [id, used]) => sum + (used - (before.get(id) ?? used)), 0);
}
