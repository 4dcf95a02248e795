/** The dashboard of each server: how soon it shows rows of a full database, and its CPU use during a load. */
import { setTimeout as sleep } from 'node:timers/promises';
import { missing } from '@twin-ingest/testkit/browser/chromium.ts';
import { BenchFailure } from '../../failure.ts';
import { Host, withHost } from '../../run/host.ts';
import { cpuBetween, OpenBrowser } from '../browser.ts';
import { FigureValues } from '../figure.ts';
import type { Posted } from '../poster-process.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';

const FILL_BATCH = 500;
const FILL_CONNECTIONS = 8;
const MOST_FILL_S = 600;

const LOAD_PER_S = 1000;
/** Small batches, so that many commits notify the page. */
const LOAD_BATCH = 10;
const CONNECTIONS = 4;

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
      const browser = await OpenBrowser.start(launch.lifetime);
      const values = new FigureValues();
      const url = `${host.url}/`;
      // The first open warms up the server and the browser, and does not count.
      await (await browser.open(url, sizes.patience_ms)).page.context().close();
      for (let i = 0; i < sizes.page_opens; i++) {
        const { page, open_ms } = await browser.open(url, sizes.patience_ms);
        values.add({ open_ms });
        await page.context().close();
      }
      const { page } = await browser.open(url, sizes.patience_ms);
      // The warm-up load outlasts the work of opening the page and compiles the code that handles events.
      await load(host, context, sizes.load_warm_up_s);
      const before = await browser.rendererCpu();
      const posted = await load(host, context, sizes.page_load_s);
      const took_s = (posted.ended_ms - posted.started_ms) / 1000;
      values.add({ renderer_cpu_share: cpuBetween(before, await browser.rendererCpu()) / took_s });
      await page.context().close();
      await browser.close();
      const parameters = { events: sizes.page_events, load_events_per_s: LOAD_PER_S };
      context.add({ parameters, figures: values.all(), latency: null });
    });
  },
};

function load(host: Host, { poster }: ScenarioContext, seconds: number): Promise<Posted> {
  const requests = Math.max(1, Math.round((LOAD_PER_S * seconds) / LOAD_BATCH));
  return poster.paced(host, { per_s: LOAD_PER_S, batch: LOAD_BATCH, requests, connections: CONNECTIONS });
}

async function fill(host: Host, { sizes, poster }: ScenarioContext): Promise<void> {
  const { page_events } = sizes;
  const posted = await poster.closed(host, page_events, MOST_FILL_S, FILL_BATCH, FILL_CONNECTIONS);
  if (posted.events !== page_events)
    throw new BenchFailure('generator_failed', `${posted.events} of ${page_events} events were posted`);
}
