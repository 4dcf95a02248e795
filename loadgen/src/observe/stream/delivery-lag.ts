/**
 * The delivery lag: the time from `created_at` of a row to the arrival of its frame.
 *
 * Both times are whole milliseconds of one clock. So a sample is exact to a millisecond, and the truncated fractions
 * cancel out on average. Invariants: late rows of the warm-up are left out. Frames of one transaction that arrive
 * together cost one entry. A clock that was set back gives 0 and no failure.
 */
import { createHistogram, latencyOf } from '../../analyse/histogram.ts';
import type { Latency } from '../../load/drivers/driver.ts';
import type { EventFrame } from './frames.ts';

/** The first match is the column: quotes inside values are escaped, and metadata comes later in the row. */
const CREATED_AT = Buffer.from('"created_at":"');
const TIMESTAMP_CHARACTERS = '2026-02-18T18:06:41.231Z'.length;

export class LagRecorder {
  readonly #histogram = createHistogram();
  readonly #since: number;
  #text = '';
  #created = Number.NaN;
  #lag_us = 0;
  #frames = 0;

  /** Rows that were stored before `since` (Unix milliseconds) do not count. */
  constructor(since: number) {
    this.#since = since;
  }

  /** Records a frame of a chunk that arrived at `now` (Unix milliseconds). */
  note({ bytes, from, to }: EventFrame, now: number): void {
    const at = bytes.indexOf(CREATED_AT, from) + CREATED_AT.length;
    if (at < from + CREATED_AT.length || at > to) return;
    const text = bytes.toString('latin1', at, at + TIMESTAMP_CHARACTERS);
    if (text !== this.#text || this.#frames === 0) {
      this.endOfChunk();
      this.#text = text;
      this.#created = Date.parse(text);
      this.#lag_us = Math.max(0, (now - this.#created) * 1000);
    }
    if (this.#created >= this.#since) this.#frames++;
  }

  /** Stores the delivery lag of the current frames, since the next chunk has another arrival time. */
  endOfChunk(): void {
    if (this.#frames > 0) this.#histogram.recordValueWithCount(this.#lag_us, this.#frames);
    this.#frames = 0;
  }

  /** Returns the delivery lag of all recorded frames; `null` when there are none. */
  lag(): Latency | null {
    return latencyOf(this.#histogram);
  }
}
