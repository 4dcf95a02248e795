/**
 * A Chromium of this system that opens the pages `/bench/` of servers.
 *
 * Invariants: each page has its own profile and renderer process, so that no page collects the garbage of another. A
 * page that reports an error fails the run.
 */
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { Browser, Page } from 'playwright-core';
import { BenchFailure } from '../failure.ts';
import { type Lap, type LapFound, lapsInPage, methodsInPage } from './in-page.ts';
import type { MethodFacts } from './result.ts';

const PATH = '/bench/';
const SCRIPT = '/bench/app.js';
/** Longest time of one round. */
const PATIENCE_MS = 120_000;

export class BenchBrowser {
  readonly #browser: Browser;
  readonly #lifetime: Lifetime;
  readonly #release: () => Promise<unknown>;

  private constructor(browser: Browser, lifetime: Lifetime) {
    this.#browser = browser;
    this.#lifetime = lifetime;
    this.#release = lifetime.add(() => browser.close());
  }

  static async start(lifetime: Lifetime): Promise<BenchBrowser> {
    try {
      return new BenchBrowser(await launch(), lifetime);
    } catch (error) {
      throw new BenchFailure('browser_failed', 'the browser did not start', [String(error)]);
    }
  }

  get version(): string {
    return this.#browser.version();
  }

  async open(url: string): Promise<BenchPage> {
    try {
      const { page, errors } = await open(this.#browser, url, { path: PATH });
      return new BenchPage(page, url, errors, this.#lifetime);
    } catch (error) {
      throw new BenchFailure('browser_failed', `${url}${PATH} did not open`, [String(error)]);
    }
  }

  async close(): Promise<void> {
    await this.#release();
  }
}

export class BenchPage {
  readonly #page: Page;
  readonly #url: string;
  readonly #errors: readonly string[];
  readonly #lifetime: Lifetime;

  constructor(page: Page, url: string, errors: readonly string[], lifetime: Lifetime) {
    this.#page = page;
    this.#url = url;
    this.#errors = errors;
    this.#lifetime = lifetime;
  }

  /** Returns the methods that this browser supports, in the order of the page. */
  async methods(): Promise<MethodFacts[]> {
    const all = await this.#ask(this.#page.evaluate(methodsInPage, SCRIPT));
    return all.flatMap(({ isSupported, ...method }) => (isSupported ? [method] : []));
  }

  /** Runs laps one after the other. Their addresses are paths of the server. */
  run(laps: readonly Lap[]): Promise<LapFound[]> {
    const whole = laps.map(({ method, address }) => ({ method, address: `${this.#url}${address}` }));
    return this.#ask(this.#page.evaluate(lapsInPage, { script: SCRIPT, laps: whole }));
  }

  async close(): Promise<void> {
    await this.#page.close();
  }

  async #ask<T>(answer: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`silent for ${PATIENCE_MS} ms`)), PATIENCE_MS);
    });
    // The browser may close before it answers. This handler prevents an unhandled rejection.
    answer.catch(() => undefined);
    try {
      const found = await this.#lifetime.orInterrupted(Promise.race([answer, late]));
      if (this.#errors.length > 0) throw new Error('the page reported errors');
      return found;
    } catch (error) {
      this.#lifetime.signal.throwIfAborted();
      throw new BenchFailure('browser_failed', 'the page failed', [String(error), ...this.#errors]);
    } finally {
      clearTimeout(timer);
    }
  }
}
