/**
 * Samples of a rate, as benchmark.js takes them, and the margin of their mean.
 *
 * Invariant: a sample is the mean time of the calls within at least 20 ms, so that the resolution of the clock has
 * little effect. A call that takes longer is one sample.
 */
import { deviation, mean } from '../analyse/statistics.ts';

const LEAST_MS = 20;

/**
 * Two-sided 95 % quantiles of Student's t for 1 to 30 degrees of freedom. Above that, the normal distribution is used.
 */
const T_95 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];
const NORMAL_95 = 1.96;

/** Collects the microseconds of a call, one value for each sample. */
export class Samples {
  readonly #values: number[] = [];
  #from_ms: number;
  #calls = 0;

  constructor(from_ms: number) {
    this.#from_ms = from_ms;
  }

  /** Records a call that ended at `at_ms`. */
  add(at_ms: number): void {
    this.#calls++;
    if (at_ms - this.#from_ms >= LEAST_MS) this.#close(at_ms);
  }

  /** Returns the samples. The rest below 20 ms becomes a sample only if there is no other. */
  end(at_ms: number): readonly number[] {
    if (this.#values.length === 0 && this.#calls > 0) this.#close(at_ms);
    return this.#values;
  }

  #close(at_ms: number): void {
    this.#values.push(((at_ms - this.#from_ms) * 1000) / this.#calls);
    this.#from_ms = at_ms;
    this.#calls = 0;
  }
}

/** Returns half of the 95 % interval of the mean, as a share of the mean; `null` for fewer than two values. */
export function marginOf(values: readonly number[]): number | null {
  const sd = deviation(values);
  if (sd === null) return null;
  const t = T_95[values.length - 2] ?? NORMAL_95;
  return (t * sd) / Math.sqrt(values.length) / mean(values);
}
