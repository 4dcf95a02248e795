/**
 * DATA: the goals of the binary suite, the figures that tauri-bin-transfer-bench reported, and the rows of a result
 * that hold the values.
 *
 * Invariants: every goal uses the size of the original's file. A ratio uses medians of the same run.
 */
import { bestOf, type Goal, type Of, timeOf } from './goal.ts';
import { ORIGINAL_BYTES } from './sizes.ts';

const method =
  (name: string): Of =>
  (result, server) =>
    timeOf(result, server, name, ORIGINAL_BYTES);
const best =
  (...forms: readonly string[]): Of =>
  (result, server) =>
    bestOf(result, server, forms, ORIGINAL_BYTES);
const faster =
  (slow: Of, fast: Of): Of =>
  (result, server) => {
    const [top, bottom] = [slow(result, server), fast(result, server)];
    return top === null || bottom === null ? null : top / bottom;
  };

const NUMBERS = method('numbers');
const RAW = best('raw');
const BASE64 = best('base64', 'json');

const ITS_BEST = { figure: '176.92 ms', was: 'base64, the fastest of its four; it had no raw bytes' };
const ITS_RATIO = { figure: '3.6 times', was: 'base64 against default, 634.54 ms against 176.92 ms' };

const FAST_NUMBERS =
  'the number array, one HTTP answer and one JSON.parse, takes far less here than the original reported';
const IN_THE_BROWSER =
  'of the time of raw bytes the browser takes most, as the rate of bodies without a browser shows';

const stated = (title: string, name: string, figure: string, was: string): Goal => ({
  title,
  unit: 'ms',
  prior: { figure, was },
  goal: null,
  of: method(name),
});

export const GOALS: readonly Goal[] = [
  { title: 'raw bytes, the fastest method', unit: 'ms', prior: ITS_BEST, goal: 20, of: RAW },
  {
    title: 'the fastest raw method against the number array',
    unit: 'times',
    prior: ITS_RATIO,
    goal: 25,
    obstacle: `${FAST_NUMBERS}; ${IN_THE_BROWSER}`,
    of: faster(NUMBERS, RAW),
  },
  {
    title: 'the fastest base64 method against the number array',
    unit: 'times',
    prior: ITS_RATIO,
    goal: 9,
    obstacle: FAST_NUMBERS,
    of: faster(NUMBERS, BASE64),
  },
  stated(
    'raw bytes from a file, arrayBuffer()',
    'file-array-buffer',
    '176.92 ms',
    'each of its four methods reads the file inside the timed call; the fastest',
  ),
  stated('number array', 'numbers', '634.54 ms', 'default: a vector of bytes as a JSON array'),
  stated('base64, atob', 'base64-atob', '176.92 ms', 'base64: atob and a loop over its characters'),
  stated('base64, fetch(data:)', 'base64-data-url', '251.98 ms', 'base64-fetch: a data URL'),
  stated('base64, a decoder with a table', 'base64-table', '217.80 ms', 'base64-manual: a decoder from MDN'),
];
