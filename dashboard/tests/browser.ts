/**
 * A page in a real Chromium on a real server: what it logs and violates is collected, and its rows are read as a
 * visitor would see them.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { launchOptions, missing } from '../../scripts/chromium.ts';

/** Not in the repository. */
const SHOTS = fileURLToPath(new URL('../../.bench/page/', import.meta.url));
/** A condition that does not come true is a failure after this. */
const DEADLINE_MS = 20_000;

export interface OpenOptions {
  readonly path?: string;
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
}

export interface Opened {
  readonly page: Page;
  /** Errors of scripts and of the console, violations of the content security policy among them. */
  readonly errors: string[];
  /** Of requests to anybody else. */
  readonly foreign: string[];
}

export async function launch(): Promise<Browser> {
  assert.equal(missing, false, String(missing));
  return await chromium.launch(launchOptions);
}

export async function open(browser: Browser, url: string, options: OpenOptions = {}): Promise<Opened> {
  const { path = '/', width = 1400, height = 900, colorScheme = 'light' } = options;
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  page.setDefaultTimeout(DEADLINE_MS);
  const errors: string[] = [];
  const foreign: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
  page.on('pageerror', (error) => void errors.push(error.message));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) foreign.push(request.url());
  });
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective))`,
  );
  await page.goto(`${url}${path}`);
  return { page, errors, foreign };
}

/** Ids of the rows in the document, from the top. */
export async function idsOf(page: Page): Promise<number[]> {
  return await page.evaluate<number[]>(
    `[...document.querySelectorAll('#feed [data-id]')]
      .map((row) => [row.getBoundingClientRect().top, Number(row.dataset.id)])
      .sort(([a], [b]) => a - b)
      .map(([, id]) => id)`,
  );
}

/** Waits until the rows at the top are these. Asked from here: a wait within the page would evaluate text there. */
export async function untilIds(page: Page, ids: readonly number[]): Promise<void> {
  const deadline_ms = performance.now() + DEADLINE_MS;
  for (;;) {
    const seen = await idsOf(page);
    if (ids.every((id, i) => seen[i] === id)) return;
    assert.ok(performance.now() < deadline_ms, `rows are ${seen}, not ${ids}`);
    await page.waitForTimeout(20);
  }
}

export async function untilConnection(page: Page, state: string): Promise<void> {
  await page.waitForSelector(`[data-connection="${state}"]`);
}

/** The part of the dashboard that shows the server's health. */
export const panel = (page: Page) => page.getByRole('region', { name: 'Server', exact: true });
export const untilKnown = (page: Page) => panel(page).getByText('ok', { exact: true }).waitFor();
export const untilUnknown = (page: Page) =>
  panel(page).getByText('unknown; this is what it said last').waitFor();

export async function shot(page: Page, name: string): Promise<void> {
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: `${SHOTS}${name}.png` });
}

export async function overflow(page: Page): Promise<number> {
  return await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
}
