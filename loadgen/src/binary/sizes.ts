/** DATA: the counts of a run: quick for feedback, by default within five minutes, or the whole matrix. */

import type { RunSize } from '../plan/suite-options.ts';

export interface Transfer {
  readonly bytes: number;
  /** Number of measured rounds. Each runs every method once on each server. */
  readonly rounds: number;
  /** Number of warm-up rounds before them. */
  readonly warm_up: number;
  /** Whether only raw bytes, files and the fast Base64 methods are measured. */
  readonly isFastOnly: boolean;
}

export interface Sizes {
  readonly transfers: readonly Transfer[];
  /** Size of the bodies that the other client moves. */
  readonly body_bytes: number;
  /** Seconds of one slice of `/livez`. */
  readonly livez_s: number;
  /** Number of pairs. Each has a fresh server; its slices run in one order and then in the opposite one. */
  readonly livez_pairs: number;
}

const MEBIBYTE = 1024 * 1024;
/** Size of the file that the original transferred. */
export const ORIGINAL_BYTES = 3_464_800;

const transfer = (bytes: number, rounds: number, warm_up: number, isFastOnly = false): Transfer => ({
  bytes,
  rounds,
  warm_up,
  isFastOnly,
});

const DEFAULT: Sizes = {
  transfers: [
    transfer(10_240, 30, 5),
    transfer(102_400, 30, 5),
    transfer(ORIGINAL_BYTES, 30, 2),
    transfer(32 * MEBIBYTE, 5, 1, true),
  ],
  body_bytes: 64 * MEBIBYTE,
  livez_s: 4,
  livez_pairs: 2,
};

export const SIZES: Readonly<Record<RunSize, Sizes>> = {
  quick: {
    ...DEFAULT,
    transfers: [
      transfer(10_240, 3, 1),
      transfer(102_400, 3, 1),
      transfer(ORIGINAL_BYTES, 3, 1),
      transfer(32 * MEBIBYTE, 1, 0, true),
    ],
    livez_s: 1,
    livez_pairs: 1,
  },
  default: DEFAULT,
  all: {
    ...DEFAULT,
    transfers: [
      transfer(10_240, 100, 5),
      transfer(102_400, 100, 5),
      transfer(MEBIBYTE, 30, 2),
      transfer(ORIGINAL_BYTES, 60, 2),
      transfer(32 * MEBIBYTE, 5, 1),
    ],
    livez_s: 10,
  },
};
