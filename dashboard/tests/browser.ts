/** Reads the dashboard's rows in a real Chromium as a user sees them. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { DEADLINE_MS } from '@twin-ingest/testkit/browser/page.ts';
import type { Page } from 'playwright-core';

/** Folder of the screenshots, which are not committed. */
const SHOTS = fileURLToPath(new URL('../../.bench/page/', import.meta.url));

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the ids of the rows in the document, from the top. */
export async function idsOf(page: Page): Promise<number[]> {
  return await page.evaluate<number[]>(
    `[...document.querySelectorAll('#feed [data-id]')]
      .map((row) => [row.getBoundingClientRect().top, Number(row.dataset.id)])
      .sort(([a], [b]) => a - b)
      .map(([, id]) => id)`,
  );
}

/**
 * Waits until the rows at the top have these ids. Polls from the test: a wait within the page would evaluate text
 * there.
 */
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

/** Returns the figure of the tile with this name. */
export const tile = (page: Page, name: string) =>
  page.locator('.tile', { has: page.getByText(name, { exact: true }) }).locator('dd');

/** Returns the part of the dashboard that shows the server's health. */
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

/** Returns serious and critical violations of WCAG 2.2 AA and of best practices. */
export async function findingsOf(page: Page): Promise<unknown> {
  // Not as an element: the page's policy would block it.
  await page.evaluate(AXE);
  return await page.evaluate(`axe.run().then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).join(' | ')))`);
}
