/**
 * Sends `GET /livez` every few milliseconds, as a client next to other clients does.
 *
 * Invariants: a request that waits does not delay the next one, so that a stall counts for every request that it
 * delays. A time begins when its request is sent.
 */
import { Agent, get } from 'node:http';
import { BenchFailure } from '../failure.ts';

const INTERVAL_MS = 5;

export class LivezProbe {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #pending = new Set<Promise<void>>();
  readonly #times: number[] = [];
  readonly #problems: string[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(url: string) {
    this.#url = `${url}/livez`;
    this.#timer = setInterval(() => this.#send(), INTERVAL_MS);
  }

  /** Returns the times in milliseconds in ascending order. Throws if a request failed. */
  async end(): Promise<number[]> {
    clearInterval(this.#timer);
    await Promise.all(this.#pending);
    this.#agent.destroy();
    if (this.#problems.length > 0) throw new BenchFailure('reads_failed', 'GET /livez', this.#problems);
    return this.#times.sort((one, other) => one - other);
  }

  #send(): void {
    const asked = this.#ask().then(
      (took) => void this.#times.push(took),
      (error: unknown) => void this.#problems.push(String(error)),
    );
    const settled = asked.finally(() => this.#pending.delete(settled));
    this.#pending.add(settled);
  }

  #ask(): Promise<number> {
    return new Promise((resolve, reject) => {
      const from = performance.now();
      get(this.#url, { agent: this.#agent }, (response) => {
        response.resume();
        response.once('error', reject).once('end', () => {
          if (response.statusCode === 200) resolve(performance.now() - from);
          else reject(new Error(`/livez answered ${response.statusCode}`));
        });
      }).once('error', reject);
    });
  }
}
