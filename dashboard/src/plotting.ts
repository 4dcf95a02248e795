/**
 * uPlot, once the page was drawn: what is set up with it, and three canvases, would keep the first rows waiting.
 *
 * What must stay true: the places of the plots have their height from the style, so that nothing moves when they come.
 */
import type uPlot from 'uplot';
import { drawn } from './drawn.ts';

let begun: Promise<typeof uPlot> | undefined;

/** Resolves when there is something to plot with. */
export function plotting(): Promise<typeof uPlot> {
  begun ??= drawn().then(async () => (await import('uplot')).default);
  return begun;
}
