/** Finds batches in standard input, whichever way its format frames them (rule PRO-12). */
import type { Buffers } from '../buffers.ts';
import type { Config } from '../config/index.ts';
import type { Format } from '../formats/index.ts';
import { Frames } from './frames.ts';
import { Lines } from './lines.ts';

/** What came and was not taken yet. */
export type Framing = Lines | Frames;

/** Lines in NDJSON, frames in the binary formats. */
export function framingOf(
  format: Format,
  { maxBatchEvents, maxBodyBytes }: Config,
  buffers: Buffers,
): Framing {
  if (format === 'ndjson') return new Lines(maxBatchEvents, maxBodyBytes, buffers);
  return new Frames(maxBodyBytes, buffers);
}
