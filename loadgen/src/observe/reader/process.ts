/**
 * The reader's process: it sends the requests of a dashboard at fixed times.
 *
 * Requests are due by the clock, and each has its own connection, so that none waits for another. Latency counts from
 * sending. A request without an answer in time counts as failed. Invariant: every request counts, so `stop` waits for
 * all answers.
 */
import { Pool } from 'undici';
import { quantile } from '../../analyse/statistics.ts';
import { Metronome } from '../../load/drivers/metronome.ts';
import { nowMs } from '../clock.ts';
import type { ReaderSample } from '../sample.ts';

export interface Start {
  readonly kind: 'start';
  readonly url: string;
  readonly interval_ms: number;
}

/** `stop`: the reader sends no further requests and replies with its sample. */
export type Command = Start | { readonly kind: 'stop' };

export interface Answer {
  readonly kind: 'read';
  readonly sample: ReaderSample;
}

const EVERY_TIME = ['/api/stats'];

/** Requests for what a dashboard shows below its totals, which it sends less often. */
const EVERY_FIFTH_TIME = [
  '/api/sessions?limit=20',
  '/api/events?limit=50',
  '/api/stats/tools',
  '/api/stats/cost',
];

/** Paths that are requested at each tick. The list repeats from its beginning. */
const TURNS: readonly (readonly string[])[] = [
  [...EVERY_TIME, ...EVERY_FIFTH_TIME],
  EVERY_TIME,
  EVERY_TIME,
  EVERY_TIME,
  EVERY_TIME,
];

const TIMEOUT_MS = 10_000;

/** Handles the commands of the parent: starts the requests, then stops them and replies with the sample. */
export function readAsAsked(): void {
  let reading: Reading | undefined;
  process.on('message', async (message) => {
    const command = message as Command;
    if (command.kind === 'start') reading = new Reading(command);
    else reply(await reading!.stop());
  });
}

function reply(message: Answer): void {
  process.send!(message);
}

class Reading {
  readonly #start: Start;
  readonly #metronome = new Metronome();
  readonly #pool: Pool;
  readonly #latencies_ms: number[] = [];
  readonly #unanswered = new Set<Promise<void>>();
  readonly #first_ms = nowMs();
  #requests = 0;
  #failed = 0;
  #ticks = 0;
  #stopped = false;

  constructor(start: Start) {
    this.#start = start;
    // The client has no timeouts, since `#get` has its own.
    this.#pool = new Pool(start.url, { connections: null, headersTimeout: 0, bodyTimeout: 0 });
    this.#metronome.run(this.#first_ms, start.interval_ms, () => this.#askDue());
  }

  async stop(): Promise<Answer> {
    this.#stopped = true;
    await this.#metronome.close();
    await Promise.all(this.#unanswered);
    await this.#pool.destroy();
    const sample = {
      requests: this.#requests,
      failed: this.#failed,
      p50_ms: quantileOf(this.#latencies_ms, 0.5),
      p99_ms: quantileOf(this.#latencies_ms, 0.99),
      cpu_us: cpuUsed(),
    };
    return { kind: 'read', sample };
  }

  /** Sends all requests that are due, including those that became due while this process was late. */
  #askDue(): void {
    const { interval_ms } = this.#start;
    for (;;) {
      const due_ms = this.#first_ms + this.#ticks * interval_ms;
      if (this.#stopped || due_ms > nowMs()) return;
      for (const path of TURNS[this.#ticks % TURNS.length]!) {
        const asking = this.#ask(path).finally(() => this.#unanswered.delete(asking));
        this.#unanswered.add(asking);
      }
      this.#ticks++;
    }
  }

  async #ask(path: string): Promise<void> {
    const sent_ms = nowMs();
    const isAnswered = await this.#get(path);
    this.#requests++;
    if (isAnswered) this.#latencies_ms.push(nowMs() - sent_ms);
    else this.#failed++;
  }

  /** Returns whether the answer came in time and was a 200. */
  async #get(path: string): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const { statusCode, body } = await this.#pool.request({ method: 'GET', path, signal });
      await body.arrayBuffer();
      return statusCode === 200;
    } catch {
      return false;
    }
  }
}

/** Returns the CPU time of this process in microseconds. */
function cpuUsed(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function quantileOf(values: readonly number[], share: number): number | null {
  return values.length === 0
    ? null
    : quantile(
        values.toSorted((a, b) => a - b),
        share,
      );
}
