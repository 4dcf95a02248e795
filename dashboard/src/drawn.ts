/**
 * The first drawing of the page: the rows that are there, before anything that is looked at later.
 *
 * A server on the same machine answers before an empty page is laid out, so the first rows are waited for, shortly:
 * one layout shows them, where two would take nearly twice as long. What must stay true: whatever waits for the
 * drawing comes, also where the server does not answer.
 */
import { effect, signal } from '@preact/signals';
import { firstRows } from './feed.ts';

const ROWS_WAIT_MS = 100;

/** Whether the page was drawn once: what lies below the first rows, and the plots, come then. */
export const isDrawn = signal(false);

/** Draws when the first rows were answered, or after a tenth of a second. */
export async function drawWithRows(draw: () => void): Promise<void> {
  await firstRows(ROWS_WAIT_MS);
  draw();
  await frame();
  // The next one begins when the one that shows the rows has been handed over.
  await frame();
  isDrawn.value = true;
}

/** Resolves once the page was drawn. */
export function drawn(): Promise<void> {
  return new Promise((resolve) => {
    effect(() => {
      if (isDrawn.value) resolve();
    });
  });
}

/** Frames do not come while nobody can see the page; what waits for them is not to wait for that. */
function frame(): Promise<void> {
  return new Promise((resolve) => {
    if (document.hidden) setTimeout(resolve);
    else requestAnimationFrame(() => setTimeout(resolve));
  });
}
