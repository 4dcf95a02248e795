/**
 * A Chromium of this system that opens the dashboard of a server. Measures the time until its first rows are shown, and
 * the CPU time of its renderer.
 *
 * Invariants: every browser has a fresh profile, so that nothing is cached. The browser ends with the run.
 */

import { launch } from '@twin-ingest/testkit/browser/page.ts';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { Browser, Page } from 'playwright-core';
import { BenchFailure } from '../failure.ts';

/** Selects a row of the event list by its ARIA roles. */
const ROW = '[role="rowgroup"] [role="row"]';

/** Script that records, by the page's own clock, the first frame that is drawn after a row exists. */
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
      const browser = await launch();
      return new OpenBrowser(
        browser,
        lifetime.add(() => browser.close()),
      );
    } catch (error) {
      throw new BenchFailure('browser_failed', 'the browser did not start', [String(error)]);
    }
  }

  /** Opens the page with an empty cache. `open_ms` is the time from the navigation until the first rows are shown. */
  async open(url: string, patience_ms: number): Promise<{ readonly page: Page; readonly open_ms: number }> {
    const context = await this.#browser.newContext();
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.addInitScript(NOTE_ROWS);
    try {
      await page.goto(url);
      // The time is passed in an attribute, because the page's content security policy forbids evaluating a script
      // text.
      const shown = page.locator('html[data-bench-rows-shown]');
      await shown.waitFor({ state: 'attached', timeout: patience_ms });
      return { page, open_ms: Number(await shown.getAttribute('data-bench-rows-shown')) };
    } catch (error) {
      throw new BenchFailure('browser_failed', 'the page showed no rows', [String(error), ...errors]);
    }
  }

  /**
   * Returns the CPU time of each renderer so far, in seconds, by process id. The GPU, network and browser processes are
   * left out.
   */
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

/**
 * Returns the CPU seconds that the renderers used between the two readings. Renderers that are missing in either
 * reading are left out.
 */
export function cpuBetween(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  return [...after].reduce((sum, [id, used]) => sum + (before.has(id) ? used - before.get(id)! : 0), 0);
}
