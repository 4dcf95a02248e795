/**
 * Loads uPlot after the first drawing: its setup, and three canvases, would delay the first rows.
 *
 * Invariant: the styles set the height of the plots, so that the layout does not move when they arrive.
 */
import type uPlot from 'uplot';
import { drawn } from './drawn.ts';

let begun: Promise<typeof uPlot> | undefined;

/** Resolves with uPlot once it is loaded. */
export function plotting(): Promise<typeof uPlot> {
  begun ??= drawn().then(async () => (await import('uplot')).default);
  return begun;
}
