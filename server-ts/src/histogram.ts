/** Counts values by the upper bounds of a family of `metrics.json`, without a lock. */
import { FAMILIES, type HistogramName } from './contract/metrics.ts';

/** Counts of values by their upper bounds. */
export class Histogram {
  private readonly bounds: readonly number[];
  /** Number of values of each bucket alone; the last bucket has no bound. */
  private readonly counts: Float64Array;
  /** The sum of all values in the unit of the family. */
  sum = 0;

  /** Creates an empty histogram with the buckets of this family. */
  constructor(family: HistogramName) {
    this.bounds = FAMILIES[family].buckets;
    this.counts = new Float64Array(this.bounds.length + 1);
  }

  /** Counts a value. */
  observe(value: number): void {
    let place = 0;
    while (place < this.bounds.length && this.bounds[place]! < value) place++;
    this.counts[place] = this.counts[place]! + 1;
    this.sum += value;
  }

  /** Returns whether it counted no value. */
  get isEmpty(): boolean {
    return this.counts.every((count) => count === 0);
  }

  /** Returns the number of values up to each bound, then of all values. */
  cumulative(): number[] {
    let total = 0;
    return [...this.counts].map((count) => {
      total += count;
      return total;
    });
  }
}
