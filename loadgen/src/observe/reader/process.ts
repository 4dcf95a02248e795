/**
 * The reader's process: it sends the requests of a dashboard at fixed times.
 *
 * Requests are due by the clock, and each has a connection of its own, so that none waits for another. Latency counts
 * from sending; the result states how late this process sent. A request without an answer in time counts as failed.
 * Invariant: every request counts, so the end waits for the answers.
 */
import { Pool } from 'undici';
import { quantile } from '../../analyse/statistics.ts';
import { Metronome } from '../../load/drivers/metronome.ts';
import { nowMs } from '../clock.ts';
import type { ReaderSample } from '../sample.ts';

/** Paths that are asked at each tick; after the last list comes the first again. */
export type Turns = readonly (readonly string[])[];

export interface Start {
  readonly kind: 'start';
  readonly url: string;
  readonly interval_ms: number;
  readonly turns: Turns;
  /** Whether what is due counts at once, or from when it is reported so. */
  readonly counts: boolean;
}

/** `count`: from now on what is due counts. `stop`: nothing more is asked. */
export type Command = Start | { readonly kind: 'count' | 'stop' };

/** `null` where nothing was answered. */
export interface PathSample extends Omit<ReaderSample, 'cpu_us'> {
  readonly path: string;
}

export interface Answer {
  readonly kind: 'read';
  readonly sample: ReaderSample;
  readonly paths: readonly PathSample[];
  /** From the moment a read was due to its sending; `null` where nothing was asked. */
  readonly late_p99_ms: number | null;
}
const EVERY_TIME = ['/api/stats'];

/** What a dashboard shows below its totals, and asks for less often. */
const EVERY_FIFTH_TIME = [
  '/api/sessions?limit=20',
  '/api/events?limit=50',
  '/api/stats/tools',
  '/api/stats/cost',
];

export const DASHBOARD: Turns = [
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
    else if (command.kind === 'count') reading!.count();
    else reply(await reading!.stop());
  });
}

function reply(message: Answer): void {
  process.send!(message);
}

interface Asked {
  readonly latencies_ms: number[];
  requests: number;
  failed: number;
}

class Reading {
  readonly #start: Start;
  readonly #metronome = new Metronome();
  readonly #pool: Pool;
  readonly #asked = new Map<string, Asked>();
  readonly #late_ms: number[] = [];
  readonly #unanswered = new Set<Promise<void>>();
  readonly #first_ms = nowMs();
  /** What was due before this moment does not count. */
  #from_ms: number;
  #ticks = 0;
  #stopped = false;

  constructor(start: Start) {
    this.#start = start;
    this.#from_ms = start.counts ? 0 : Number.POSITIVE_INFINITY;
    // A read counts as failed after its own time, whatever the client would wait for.
    this.#pool = new Pool(start.url, { connections: null, headersTimeout: 0, bodyTimeout: 0 });
    for (const path of start.turns.flat())
      this.#asked.set(path, { latencies_ms: [], requests: 0, failed: 0 });
    this.#metronome.run(this.#first_ms, start.interval_ms, () => this.#askDue());
  }

  count(): void {
    this.#from_ms = nowMs();
  }

  async stop(): Promise<Answer> {
    this.#stopped = true;
    await this.#metronome.close();
    await Promise.all(this.#unanswered);
    await this.#pool.destroy();
    const all = [...this.#asked];
    return {
      kind: 'read',
      sample: { ...sampleOf(all.map(([, asked]) => asked)), cpu_us: cpuUsed() },
      paths: all.map(([path, asked]) => ({ path, ...sampleOf([asked]) })),
      late_p99_ms: quantileOf(this.#late_ms, 0.99),
    };
  }

  /** Everything that is due, also what was due while this process was late. */
  #askDue(): void {
    const { turns, interval_ms } = this.#start;
    for (;;) {
      const due_ms = this.#first_ms + this.#ticks * interval_ms;
      if (this.#stopped || due_ms > nowMs()) return;
      for (const path of turns[this.#ticks % turns.length]!) {
        const asking = this.#ask(path, due_ms).finally(() => this.#unanswered.delete(asking));
        this.#unanswered.add(asking);
      }
      this.#ticks++;
    }
  }

  async #ask(path: string, due_ms: number): Promise<void> {
    const sent_ms = nowMs();
    const isAnswered = await this.#get(path);
    const latency_ms = nowMs() - sent_ms;
    if (due_ms < this.#from_ms) return;
    const asked = this.#asked.get(path)!;
    asked.requests++;
    this.#late_ms.push(sent_ms - due_ms);
    if (isAnswered) asked.latencies_ms.push(latency_ms);
    else asked.failed++;
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

function sampleOf(parts: readonly Asked[]): Omit<ReaderSample, 'cpu_us'> {
  const latencies = parts.flatMap((part) => part.latencies_ms);
  const sum = (key: 'requests' | 'failed') => parts.reduce((total, part) => total + part[key], 0);
  return {
    requests: sum('requests'),
    failed: sum('failed'),
    p50_ms: quantileOf(latencies, 0.5),
    p99_ms: quantileOf(latencies, 0.99),
  };
}

function quantileOf(values: readonly number[], share: number): number | null {
  return values.length === 0
    ? null
    : quantile(
        values.toSorted((a, b) => a - b),
        share,
      );
}
