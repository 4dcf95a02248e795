/** DATA: axes that several plots share. */
import type { ScaleOptions } from '@observablehq/plot';
import { group } from '../format.ts';

const MEBIBYTE = 1024 * 1024;

/** Returns a logarithmic axis with the label. */
export function logMs(label: string): ScaleOptions {
  return { type: 'log', label, grid: true, ticks: 4, tickFormat: plain };
}

export function plain(value: number): string {
  if (value >= 1000) return group(value);
  return String(Number(value.toPrecision(3)));
}

/** Formats 60,000 as "60k", so that axes are narrow. */
export function thousands(value: number): string {
  return value >= 1000 ? `${plain(value / 1000)}k` : plain(value);
}

export function mebibytes(value: number): number {
  return value / MEBIBYTE;
}
