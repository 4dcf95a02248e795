/** Writes the progress of an import: a bar where it fits, the share, and the rate. */
import { grouped } from '../demo/status-line.ts';
import type { Tally } from './tally.ts';

const MIB = 1024 * 1024;
const BAR = 24;
/** Columns from which the bar is shown. */
const WIDE = 80;

/** `whole` is the size of all files in bytes. `columns` is `undefined` without a terminal. */
export function progressText(tally: Tally, whole: number, elapsed_ms: number, columns?: number): string {
  const share = whole === 0 ? 1 : Math.min(1, tally.bytes / whole);
  const full = Math.round(share * BAR);
  const bar = (columns ?? 0) >= WIDE ? `[${'#'.repeat(full)}${'.'.repeat(BAR - full)}] ` : '';
  const rate = elapsed_ms > 0 ? tally.bytes / MIB / (elapsed_ms / 1000) : 0;
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  return `${bar}${percent} of ${(whole / MIB).toFixed(1)} MiB, ${rate.toFixed(1)} MiB/s, ${grouped(tally.found)} events`;
}
