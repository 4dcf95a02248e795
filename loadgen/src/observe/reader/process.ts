/**
 * The reader's process: it sends the requests of a dashboard at fixed times.
 *
 * Requests are due by the clock, and each has a connection of its own, so that none waits for another. Latency counts
 * from sending. A request without an answer in time counts as failed.
 * Invariant: every request counts, so the end waits for the answers.
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

/** `stop`: nothing more is asked. */
export type Command = Start | { readonly kind: 'stop' };

export interface Answer {
  readonly kind: 'read';
  readonly sample: ReaderSample;
}

const EVERY_TIME = ['/api/stats'];

/** What a dashboard shows below its totals, and asks for less often. */
const EVERY_FIFTH_TIME = [
  '/api/sessions?limit=20',
  '/api/events?limit=50',
  '/api/stats/tools',
  '/api/stats/cost',
];

/** Paths that are asked at each tick; after the last list comes the first again. */
const TURNS: readonly (readonly string[])[] = [
  [...EVERY_TIME, ...EVERY_FIFTH_TIME],
  EVERY_TIME,
  EVERY_TIME,
  EVERY_TIME,
  EVERY_TIME,
];

const TIMEOUT_MS = 10_000;

/** Starts, then stops and reports, on orders of the parent. */
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
    // A read counts as failed after its own time, whatever the client would wait for.
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

  /** Everything that is due, also what was due while this process was late. */
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

  /** Whether the answer came in time and was a 200. */
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

/** Of this process, in microseconds. */
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
