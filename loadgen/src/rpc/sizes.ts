/** DATA: the counts of a run: quick for feedback, by default within five minutes, or the whole matrix. */

import type { RunSize } from '../plan/suite-options.ts';
import type { CallFormatName } from './call.ts';

export interface Sizes {
  /** Number of pairs. Each has a fresh process; its slices run in one order and then in the opposite one. */
  readonly pairs: number;
  readonly scalar_s: number;
  readonly sequence_s: number;
  /** Seconds of warm-up before the first slice of a process (`settle_s`), and before each slice (`warm_up_s`). */
  readonly settle_s: number;
  readonly warm_up_s: number;
  /** Lengths of every type, with identical strings, the caller of client-ts, and one call in flight. */
  readonly lengths: readonly number[];
  /** Lengths with random strings, for types that hold text. */
  readonly random_lengths: readonly number[];
  /** Lengths without the checks of the client. */
  readonly unchecked_lengths: readonly number[];
  /** Lengths with several calls in flight, and with bytes over plain sockets. */
  readonly in_flight_lengths: readonly number[];
  readonly formats: readonly CallFormatName[];
  /** Seconds of one process of the reference, and of the calls next to it. */
  readonly reference_s: number;
  /** Number of calls at the largest length. */
  readonly large_calls: number;
  readonly large_strings: readonly ('identical' | 'random')[];
  /** Seconds of `/livez` without other load. */
  readonly livez_s: number;
}

/** The lengths of the original benchmark. */
export const LENGTHS = [10, 45, 100, 450, 1_000, 4_500, 10_000, 45_000, 100_000];
/** Length of the sequence that is compared with the reference. */
export const REFERENCE_LENGTH = 10_000;
export const LARGE_LENGTH = 100_000;
/** Number of calls in flight where there are several. */
export const IN_FLIGHT = 8;
/** Seconds of rest after the last large call. */
export const REST_S = 10;

const DEFAULT: Sizes = {
  pairs: 2,
  scalar_s: 0.24,
  sequence_s: 0.06,
  settle_s: 1,
  warm_up_s: 0.03,
  lengths: LENGTHS,
  random_lengths: [10, 100, 1_000, 10_000],
  unchecked_lengths: [100, 10_000],
  in_flight_lengths: [100],
  formats: ['json'],
  reference_s: 0.6,
  large_calls: 4,
  large_strings: ['identical'],
  livez_s: 1,
};

export const SIZES: Readonly<Record<RunSize, Sizes>> = {
  quick: {
    ...DEFAULT,
    pairs: 1,
    scalar_s: 0.04,
    sequence_s: 0.02,
    settle_s: 0.25,
    warm_up_s: 0.01,
    lengths: [10, 100, 1_000],
    random_lengths: [100],
    unchecked_lengths: [100],
    reference_s: 0.1,
    large_calls: 2,
    livez_s: 0.3,
  },
  default: DEFAULT,
  all: {
    ...DEFAULT,
    scalar_s: 0.4,
    sequence_s: 0.15,
    settle_s: 2,
    warm_up_s: 0.05,
    random_lengths: LENGTHS,
    unchecked_lengths: LENGTHS,
    in_flight_lengths: [10, 100, 1_000],
    formats: ['json', 'msgpack'],
    reference_s: 1,
    large_calls: 8,
    large_strings: ['identical', 'random'],
    livez_s: 2,
  },
};
