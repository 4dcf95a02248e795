/** DATA: the counts of a run: quick for feedback, by default in five minutes, or the whole matrix in twenty. */
import { REQUEST_FORMATS, type RequestFormat } from '@twin-ingest/testkit/codecs/format.ts';
import type { RunSize } from '../plan/suite-options.ts';
import type { Payload } from './source-events.ts';

export interface Sizes {
  /** Seconds of one step of one codec, and the number of fresh processes that measure it. */
  readonly codec_s: number;
  readonly codec_processes: number;
  /** Bytes of JSON. */
  readonly codec_bytes: readonly number[];
  readonly arrow_rows: readonly number[];
  /** Seconds of one slice over HTTP. Each warm-up slice takes half of it and does not count. */
  readonly slice_s: number;
  /** Number of pairs. Each has a fresh server and file; its slices run in one order and then in the opposite one. */
  readonly pairs: number;
  readonly payloads: readonly Payload[];
  readonly batches: readonly number[];
  /** Bytes of a body that is not read. */
  readonly raw_bytes: readonly number[];
  /** Formats of the bodies that are stored for comparison. procwire's payload up to 1 MB is stored in every format. */
  readonly raw_formats: readonly RequestFormat[];
  readonly transport_bytes: readonly number[];
  readonly at_once: readonly number[];
  readonly windows: readonly number[];
  readonly message_formats: readonly RequestFormat[];
  /** Events through one pipe, and number of runs. */
  readonly pipe_events: number;
  readonly pipe_runs: number;
}

const FULL_BYTES = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];

const DEFAULT: Sizes = {
  codec_s: 0.05,
  codec_processes: 2,
  codec_bytes: FULL_BYTES,
  arrow_rows: [100, 1_000, 10_000, 100_000],
  slice_s: 0.15,
  pairs: 2,
  payloads: ['real'],
  batches: [50, 1_000],
  raw_bytes: [1_000_000, 10_000_000],
  raw_formats: ['json'],
  transport_bytes: [1_000, 1_000_000],
  at_once: [100, 1_000],
  windows: [1, 8, 64, 1_000],
  message_formats: ['json'],
  pipe_events: 100_000,
  pipe_runs: 3,
};

export const SIZES: Readonly<Record<RunSize, Sizes>> = {
  quick: {
    ...DEFAULT,
    codec_s: 0.002,
    codec_processes: 1,
    codec_bytes: [1_000, 10_000],
    arrow_rows: [100],
    slice_s: 0.05,
    pairs: 1,
    batches: [50],
    raw_bytes: [100_000],
    transport_bytes: [1_000],
    at_once: [20],
    windows: [1, 8],
    pipe_events: 4_000,
    pipe_runs: 1,
  },
  default: DEFAULT,
  all: {
    ...DEFAULT,
    codec_s: 0.1,
    arrow_rows: [...DEFAULT.arrow_rows, 1_000_000],
    slice_s: 0.25,
    payloads: ['real', 'small', 'bare', 'small bare'],
    raw_bytes: FULL_BYTES,
    raw_formats: REQUEST_FORMATS,
    at_once: [100, 500, 1_000],
    message_formats: REQUEST_FORMATS,
    pipe_events: 300_000,
  },
};
