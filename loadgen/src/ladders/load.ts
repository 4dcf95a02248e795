/**
 * Posts the events of a ladder. The bodies of a slice exist before its time begins.
 *
 * Invariant: each answer must acknowledge every event of its request, as a new one.
 */
import { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { BenchFailure } from '../failure.ts';
import { nowMs } from '../observe/clock.ts';
import { eventOf, type Ladder } from './ladders.ts';

/** Requests under way at once. */
const CONNECTIONS = 4;
/** Events of a request that fills the file, and of all requests that are made at once. */
const FILL_BATCH = 1_000;
const FILL_EVENTS = 50_000;

interface Body {
  readonly bytes: Buffer;
  readonly events: number;
}

export interface Posted {
  readonly seconds: number;
  /** Of each request, in milliseconds. */
  readonly latencies: readonly number[];
}

export class Load {
  readonly #client: ApiClient;
  readonly #ladder: Ladder;
  /** Number of events so far, which makes ids unique. */
  #next = 0;
  #filled = 0;

  constructor(port: number, ladder: Ladder) {
    this.#client = new ApiClient(port);
    this.#ladder = ladder;
  }

  /** Stores events until the file has as many as the rung wants. */
  async fill(rung: number, signal: AbortSignal): Promise<void> {
    const { stored, own, filling } = this.#ladder;
    while (this.#filled < stored(rung)) {
      signal.throwIfAborted();
      const count = Math.min(stored(rung) - this.#filled, FILL_EVENTS);
      const from = this.#filled;
      const ownOf = (i: number) => filling?.(from + i) ?? own(from + i, rung);
      await this.#post(this.#bodies(count, FILL_BATCH, ownOf));
      this.#filled += count;
    }
  }

  /** Prepares the events of one slice. The returned function posts them. */
  slice(rung: number): () => Promise<Posted> {
    const { events, batch, own } = this.#ladder;
    const from = this.#next;
    const bodies = this.#bodies(events(rung), batch(rung), (i) => own(from + i, rung));
    return () => this.#post(bodies);
  }

  close(): void {
    this.#client.close();
  }

  /** Returns the bodies of the next events; `own` returns the members of the i-th of them. */
  #bodies(count: number, batch: number, own: (i: number) => Readonly<Record<string, unknown>>): Body[] {
    const bodies: Body[] = [];
    for (let at = 0; at < count; ) {
      const length = Math.min(batch, count - at);
      const first = at;
      const events = Array.from({ length }, (_, i) => ({ ...eventOf(this.#next + i), ...own(first + i) }));
      bodies.push({ bytes: Buffer.from(JSON.stringify({ events })), events: length });
      this.#next += length;
      at += length;
    }
    return bodies;
  }

  async #post(bodies: readonly Body[]): Promise<Posted> {
    const begun = nowMs();
    const latencies: number[] = [];
    let at = 0;
    const post = async (): Promise<void> => {
      for (let next = bodies[at++]; next !== undefined; next = bodies[at++]) {
        const sent = nowMs();
        const { status, text } = await this.#client.send('POST', '/api/events/batch', next.bytes, []);
        latencies.push(nowMs() - sent);
        // `received` counts new events alone (rule ING-04).
        if (status !== 201 || !text.startsWith(`{"received":${next.events},`))
          throw new BenchFailure('audit_failed', `POST /api/events/batch: ${status} ${text.slice(0, 200)}`);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, post));
    return { seconds: (nowMs() - begun) / 1000, latencies };
  }
}
