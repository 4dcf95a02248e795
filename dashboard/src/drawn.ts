/**
 * Draws the dashboard for the first time: with the loaded rows, before everything less important.
 *
 * A local server answers before the browser has laid out an empty page. So the first drawing waits briefly for the
 * first rows: one layout instead of two takes about half the time. Invariant: everything that waits for the drawing
 * runs, even if the server does not answer.
 */
import { effect, signal } from '@preact/signals';
import { firstRows } from './feed.ts';

const ROWS_WAIT_MS = 100;

/** Whether the dashboard was drawn once; everything below the first rows, and the plots, follow. */
export const isDrawn = signal(false);

/** Draws once the first rows have arrived, or after 100 ms. */
export async function drawWithRows(draw: () => void): Promise<void> {
  await firstRows(ROWS_WAIT_MS);
  draw();
  await frame();
  // The next frame starts after the frame with the rows was submitted.
  await frame();
  isDrawn.value = true;
}

/** Resolves once the dashboard was drawn. */
export function drawn(): Promise<void> {
  return new Promise((resolve) => {
    effect(() => {
      if (isDrawn.value) resolve();
    });
  });
}

/** Resolves at the next frame. A hidden page gets no frames, so it does not wait for one. */
function frame(): Promise<void> {
  return new Promise((resolve) => {
    if (document.hidden) setTimeout(resolve);
    else requestAnimationFrame(() => setTimeout(resolve));
  });
}
