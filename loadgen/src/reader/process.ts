/**
 * What the reader's process does: it asks what a dashboard asks, or what it is told to, at the times it is told.
 *
 * Requests are due by the clock, whether or not the last ones have been answered, and latency counts from the
 * moment one was due; one that has not been answered after a time counts as failed. What must stay true:
 * whatever was asked is counted, the slowest too, so an end waits for the answers.
 */
import { nowMs } from '../clock.ts';
import { Metronome } from '../drivers/metronome.ts';
import type { ReaderSample } from '../sample.ts';
import { quantile } from '../statistics.ts';

/** Paths that are asked at each tick; after the last list comes the first again. */
export type Turns = readonly (readonly string[])[];

export interface Start {
  readonly kind: 'start';
  readonly url: string;
  readonly interval_ms: number;
  readonly turns: Turns;
  /** Asks every path once before the first tick, one after the other, and counts none of that. */
  readonly rehearse: boolean;
}

export type Command = Start | { readonly kind: 'stop' };

/** `null` where nothing was answered. */
export interface PathSample extends ReaderSample {
  readonly path: string;
}

export interface Answer {
  readonly kind: 'read';
  readonly sample: ReaderSample;
  readonly paths: readonly PathSample[];
}

export type Reply = { readonly kind: 'begun' } | Answer;

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

/** Starts, then stops and tells, as the parent says. */
export function readAsAsked(): void {
  let reading: Reading | undefined;
  process.on('message', async (message) => {
    const command = message as Command;
    if (command.kind === 'start') reading = new Reading(command);
    else reply(await reading!.stop());
  });
}

function reply(message: Reply): void {
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
  readonly #asked = new Map<string, Asked>();
  readonly #unanswered = new Set<Promise<void>>();
  readonly #rehearsed: Promise<void>;
  #first_ms = Number.POSITIVE_INFINITY;
  #ticks = 0;
  #stopped = false;

  constructor(start: Start) {
    this.#start = start;
    for (const path of start.turns.flat())
      this.#asked.set(path, { latencies_ms: [], requests: 0, failed: 0 });
    this.#rehearsed = start.rehearse ? this.#rehearse() : Promise.resolve();
    void this.#rehearsed.then(() => this.#begin());
  }

  async stop(): Promise<Answer> {
    this.#stopped = true;
    await this.#metronome.close();
    await this.#rehearsed;
    await Promise.all(this.#unanswered);
    const all = [...this.#asked];
    return {
      kind: 'read',
      sample: sampleOf(all.map(([, asked]) => asked)),
      paths: all.map(([path, asked]) => ({ path, ...sampleOf([asked]) })),
    };
  }

  async #rehearse(): Promise<void> {
    for (const path of this.#asked.keys()) {
      if (!this.#stopped) await get(this.#start.url + path);
    }
  }

  #begin(): void {
    if (this.#stopped) return;
    this.#first_ms = nowMs();
    this.#metronome.run(this.#first_ms, this.#start.interval_ms, () => this.#askDue());
    reply({ kind: 'begun' });
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
    const asked = this.#asked.get(path)!;
    asked.requests++;
    if (await get(this.#start.url + path)) asked.latencies_ms.push(nowMs() - due_ms);
    else asked.failed++;
  }
}

/** Whether the answer came in time and was a 200. */
async function get(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

function sampleOf(parts: readonly Asked[]): ReaderSample {
  const sorted = parts.flatMap((part) => part.latencies_ms).sort((a, b) => a - b);
  const sum = (key: 'requests' | 'failed') => parts.reduce((total, part) => total + part[key], 0);
  const at = (share: number) => (sorted.length === 0 ? null : quantile(sorted, share));
  return { requests: sum('requests'), failed: sum('failed'), p50_ms: at(0.5), p99_ms: at(0.99) };
}
