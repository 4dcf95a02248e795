/** Opens a page in a real Chromium and collects its errors, policy violations and requests to other servers. */
import assert from 'node:assert/strict';
import { type Browser, chromium, type Page } from 'playwright-core';
import { launchOptions, missing } from './chromium.ts';

/** Time limit of a condition; it fails if it is still false after this time. */
export const DEADLINE_MS = 20_000;

export interface OpenOptions {
  readonly path?: string;
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
}

export interface Opened {
  readonly page: Page;
  /** Errors of scripts and of the console, including violations of the content security policy. */
  readonly errors: string[];
  /** Requests to any other server. */
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
