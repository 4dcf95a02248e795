/** Measures the time of one call again and again: the twin of `server-rs/examples/codecs/timing.rs`. */

/** More samples do not make a 99th percentile more precise. */
const MOST_SAMPLES = 5000;
const LEAST_SAMPLES = 3;
/** Share of the measured time. */
const WARM_UP_SHARE = 0.4;

export interface Report {
  /** Prints one step. `bytes` is the size of the serialized form; `samples` are nanoseconds. */
  print(step: string, bytes: number, fields: number, samples: readonly number[]): void;
  /** Warms `work` up, and returns the times of its calls. */
  time(work: () => unknown): number[];
}

export function timer(seconds: number): Report['time'] {
  const run = (work: () => unknown, limit_ms: number, least: number) => {
    const begun = performance.now();
    const samples: number[] = [];
    while (
      samples.length < least ||
      (performance.now() - begun < limit_ms && samples.length < MOST_SAMPLES)
    ) {
      const from = process.hrtime.bigint();
      work();
      samples.push(Number(process.hrtime.bigint() - from));
    }
    return samples;
  };
  return (work) => {
    run(work, seconds * 1000 * WARM_UP_SHARE, 1);
    return run(work, seconds * 1000, LEAST_SAMPLES);
  };
}
