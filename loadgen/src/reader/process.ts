/**
 * What the reader's process does: it asks what a dashboard asks, at the times a dashboard does.
 *
 * Requests are due by the clock, whether or not the last ones have been answered, and one that has not been
 * answered after a time counts as failed. What must stay true: whatever was asked is counted, the slowest
 * too, so an end waits for the answers.
 */

import type { ReaderSample } from '../sample.ts';
import { quantile } from '../statistics.ts';

export type Command =
  | { readonly kind: 'start'; readonly url: string; readonly interval_ms: number }
  | { readonly kind: 'stop' };

export type Reply = { readonly kind: 'read'; readonly sample: ReaderSample };

const EVERY_TIME = ['/api/stats'];

/** What a dashboard shows below its totals, and asks for less often. */
const EVERY_FIFTH_TIME = [
  '/api/sessions?limit=20',
  '/api/events?limit=50',
  '/api/stats/tools',
  '/api/stats/cost',
];
const FIFTH = 5;

const TIMEOUT_MS = 10_000;

/** Starts, then stops and tells, as the parent says. */
export function readAsAsked(): void {
  let reading: Reading | undefined;
  process.on('message', async (message) => {
    const command = message as Command;
    if (command.kind === 'start') reading = new Reading(command.url, command.interval_ms);
    else process.send!({ kind: 'read', sample: await reading!.stop() } satisfies Reply);
  });
}

class Reading {
  readonly #url: string;
  readonly #timer: NodeJS.Timeout;
  readonly #latencies_ms: number[] = [];
  readonly #unanswered = new Set<Promise<void>>();
  #times = 0;
  #requests = 0;
  #failed = 0;

  constructor(url: string, interval_ms: number) {
    this.#url = url;
    this.#timer = setInterval(() => this.#askAll(), interval_ms);
    this.#askAll();
  }

  async stop(): Promise<ReaderSample> {
    clearInterval(this.#timer);
    await Promise.all(this.#unanswered);
    const sorted = this.#latencies_ms.sort((a, b) => a - b);
    const at = (share: number) => (sorted.length === 0 ? null : quantile(sorted, share));
    return { requests: this.#requests, failed: this.#failed, p50_ms: at(0.5), p99_ms: at(0.99) };
  }

  #askAll(): void {
    const paths = this.#times++ % FIFTH === 0 ? [...EVERY_TIME, ...EVERY_FIFTH_TIME] : EVERY_TIME;
    for (const path of paths) {
      const asked = this.#ask(path).finally(() => this.#unanswered.delete(asked));
      this.#unanswered.add(asked);
    }
  }

  async #ask(path: string): Promise<void> {
    const from = performance.now();
    this.#requests++;
    try {
      const response = await fetch(this.#url + path, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      await response.arrayBuffer();
      if (response.status === 200) this.#latencies_ms.push(performance.now() - from);
      else this.#failed++;
    } catch {
      this.#failed++;
    }
  }
}
