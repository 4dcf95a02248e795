/** Splits standard input into batches by the framing of its format (rule PRO-12). */
import type { Buffers } from '../buffers.ts';
import type { Config } from '../config/index.ts';
import type { Format } from '../formats/index.ts';
import { Frames } from './frames.ts';
import { Lines } from './lines.ts';

/** Received bytes that are not taken yet. */
export type Framing = Lines | Frames;

/** Returns lines for NDJSON, frames for the binary formats. */
export function framingOf(
  format: Format,
  { maxBatchEvents, maxBodyBytes }: Config,
  buffers: Buffers,
): Framing {
  if (format === 'ndjson') return new Lines(maxBatchEvents, maxBodyBytes, buffers);
  return new Frames(maxBodyBytes, buffers);
}
