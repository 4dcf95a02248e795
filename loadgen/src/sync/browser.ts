/**
 * A Chromium of this system with one page of a server open: when its first rows were shown, and what its renderer
 * takes.
 *
 * Invariant: a fresh profile each time, so that nothing is cached; the browser ends with the run.
 */

import { launchOptions } from '@twin-ingest/testkit/browser/chromium.ts';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { type Browser, chromium, type Page } from 'playwright-core';
import { BenchFailure } from '../failure.ts';

/** A row of the list of events, by what it is for who cannot see it. */
const ROW = '[role="rowgroup"] [role="row"]';

/** Notes, in the page's own clock, the first frame that is drawn after a row is there. */
const NOTE_ROWS = `
  const look = () => {
    if (!document.querySelector('${ROW}')) return requestAnimationFrame(look);
    requestAnimationFrame(() => { document.documentElement.dataset.benchRowsShown = performance.now(); });
  };
  requestAnimationFrame(look);
`;

export class OpenBrowser {
  readonly #browser: Browser;
  readonly #release: () => Promise<unknown>;

  private constructor(browser: Browser, release: () => Promise<unknown>) {
    this.#browser = browser;
    this.#release = release;
  }

  static async start(lifetime: Lifetime): Promise<OpenBrowser> {
    try {
      const browser = await chromium.launch(launchOptions);
      return new OpenBrowser(
        browser,
        lifetime.add(() => browser.close()),
      );
    } catch (error) {
      throw new BenchFailure('browser_failed', 'the browser did not start', [String(error)]);
    }
  }

  /** Opens the page with nothing cached; milliseconds from the navigation until its first rows are shown. */
  async open(url: string, patience_ms: number): Promise<{ readonly page: Page; readonly open_ms: number }> {
    const context = await this.#browser.newContext();
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.addInitScript(NOTE_ROWS);
    try {
      await page.goto(url);
      // As an attribute, since the page's own policy forbids to evaluate a text.
      const shown = page.locator('html[data-bench-rows-shown]');
      await shown.waitFor({ state: 'attached', timeout: patience_ms });
      return { page, open_ms: Number(await shown.getAttribute('data-bench-rows-shown')) };
    } catch (error) {
      throw new BenchFailure('browser_failed', 'the page showed no rows', [String(error), ...errors]);
    }
  }

  /** CPU time of each renderer so far, in seconds, by its process; that of GPU, network and browser is not in it. */
  async rendererCpu(): Promise<ReadonlyMap<number, number>> {
    const session = await this.#browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    await session.detach();
    const renderers = processInfo.filter(({ type }) => type === 'renderer');
    return new Map(renderers.map(({ id, cpuTime }) => [id, cpuTime]));
  }

  async close(): Promise<void> {
    await this.#release();
  }
}

/** What those that were there before and after have used meanwhile, in seconds: one that ended takes nothing away. */
export function cpuBetween(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  return [...after].reduce((sum, [id, used]) => sum + (before.has(id) ? used - before.get(id)! : 0), 0);
}
