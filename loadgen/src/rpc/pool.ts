/** Collects all slices of one case on one server, and computes its figures. */
import { deviation, mean, quantile } from '../analyse/statistics.ts';
import type { Sliced } from './call-process.ts';
import { type Figures, figuresOf } from './figure.ts';
import { marginOf } from './samples.ts';

export class Pool {
  readonly #samples: number[] = [];
  readonly #latencies: number[] = [];
  readonly #library: number[] = [];
  #clientCpu_us = 0;
  /** `null` if a slice had no CPU time. */
  #serverCpu_us: number | null = 0;
  #bytes: { readonly sent: number; readonly received: number } | undefined;

  add(
    { samples_us, latencies_us, lib_us, cpu_us, sent_bytes, received_bytes }: Sliced,
    serverCpu_us: number | null,
  ): void {
    for (const value of samples_us) this.#samples.push(value);
    for (const value of latencies_us) this.#latencies.push(value);
    for (const value of lib_us) this.#library.push(value);
    this.#clientCpu_us += cpu_us;
    this.#serverCpu_us =
      this.#serverCpu_us === null || serverCpu_us === null ? null : this.#serverCpu_us + serverCpu_us;
    this.#bytes = { sent: sent_bytes, received: received_bytes };
  }

  figures(): Figures {
    const calls = this.#latencies.length;
    return figuresOf({
      calls,
      samples: this.#samples.length,
      calls_per_s: 1e6 / mean(this.#samples),
      margin: marginOf(this.#samples),
      ...timesOf(this.#latencies),
      ...(this.#library.length === 0 ? {} : libraryOf(this.#library)),
      sent_bytes: this.#bytes!.sent,
      received_bytes: this.#bytes!.received,
      server_cpu_us: this.#serverCpu_us === null ? null : this.#serverCpu_us / calls,
      client_cpu_us: this.#clientCpu_us / calls,
    });
  }
}

/** Returns the mean and percentiles of times in microseconds. */
export function timesOf(
  times: readonly number[],
): Pick<Figures, 'mean_us' | 'p50_us' | 'p95_us' | 'p99_us' | 'max_us'> {
  const sorted = Float64Array.from(times).sort();
  return {
    mean_us: mean(sorted),
    p50_us: quantile(sorted, 0.5),
    p95_us: quantile(sorted, 0.95),
    p99_us: quantile(sorted, 0.99),
    max_us: quantile(sorted, 1),
  };
}

function libraryOf(times: readonly number[]) {
  const { mean_us, p50_us, p95_us } = timesOf(times);
  return { lib_us: mean_us, lib_sd_us: deviation(times), lib_p50_us: p50_us, lib_p95_us: p95_us } as const;
}
