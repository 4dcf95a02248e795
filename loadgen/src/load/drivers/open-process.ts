/**
 * Sends at fixed times: request k is due at `start + k * interval`, regardless of the server.
 *
 * A request is sent when it is due, or as soon as a connection is free. Its latency counts from the moment it was due.
 * A stall therefore counts for every request that became due during it (coordinated omission). Invariants: no request
 * is dropped. A request without an answer `timeout_s` after it was due is a timeout, even when it still waits for a
 * connection. It counts as sent, so that such a run fails its audit. Requests wait here and not in undici, since a
 * waiting body takes memory.
 */
import { type Dispatcher, Pool } from 'undici';
import { nowMs } from '../../observe/clock.ts';
import type { Load } from './generator-process.ts';
import type { Metronome } from './metronome.ts';
import type { Tally } from './tally.ts';

/** Milliseconds from the order to its first request, in which the pool and the metronome become ready. */
const LEAD_MS = 5;

/** Milliseconds between two searches for requests that have timed out. */
const SWEEP_MS = 100;

const HEADERS = { 'content-type': 'application/json' };

export function sendOpenly(load: Load, metronome: Metronome): Promise<number> {
  return new OpenLoop(load, metronome).run();
}

class OpenLoop {
  readonly #load: Load;
  readonly #metronome: Metronome;
  readonly #pool: Pool;
  readonly #interval_ms: number;
  readonly #timeout_ms: number;
  readonly #start_ms = nowMs() + LEAD_MS;
  /** Requests in flight, in the order in which they were due. */
  readonly #inFlight = new Set<Exchange>();
  readonly #ended = Promise.withResolvers<void>();
  #next = 0;
  /** Time at which a connection last became free while all were busy. */
  #freed_ms = Number.NEGATIVE_INFINITY;
  #errors = 0;
  #sending = false;

  constructor(load: Load, metronome: Metronome) {
    const { job, order } = load;
    if (order.rate_events_per_s === null) throw new RangeError('an open loop needs a rate');
    this.#load = load;
    this.#metronome = metronome;
    this.#interval_ms = (job.batchSize / order.rate_events_per_s) * 1000;
    this.#timeout_ms = job.timeout_s * 1000;
    // Timeouts count from the moment a request was due, which undici does not know.
    const timeouts = { headersTimeout: 0, bodyTimeout: 0 };
    this.#pool = new Pool(order.url, { connections: job.connections, pipelining: 1, ...timeouts });
  }

  /** Returns the number of requests without an answer. */
  async run(): Promise<number> {
    const sweep = setInterval(() => this.#giveUpOld(), SWEEP_MS);
    this.#metronome.run(this.#start_ms, this.#interval_ms, () => this.#sendDue());
    try {
      await this.#ended.promise;
    } finally {
      clearInterval(sweep);
      this.#metronome.stop();
      await this.#pool.destroy();
    }
    return this.#errors;
  }

  /** Handles the end of an exchange, once. `failed` is true for connection errors and timeouts. */
  settle(exchange: Exchange, failed: boolean): void {
    const wereBusy = this.#inFlight.size === this.#load.job.connections;
    if (!this.#inFlight.delete(exchange)) return;
    if (wereBusy) this.#freed_ms = nowMs();
    if (failed) this.#errors++;
    this.#sendDue();
  }

  /** Sends the requests that are due, while a connection is free. */
  #sendDue(): void {
    // An exchange that fails at once calls this method before its dispatch has returned.
    if (this.#sending) return;
    this.#sending = true;
    const { job, requests } = this.#load;
    while (this.#inFlight.size < job.connections && this.#due(this.#next) <= nowMs())
      this.#send(this.#next++);
    this.#sending = false;
    if (this.#next === requests.count && this.#inFlight.size === 0) this.#ended.resolve();
  }

  /** Returns the time at which a request is due; infinity after the last request. */
  #due(number: number): number {
    const { count } = this.#load.requests;
    return number < count ? this.#start_ms + number * this.#interval_ms : Number.POSITIVE_INFINITY;
  }

  #send(number: number): void {
    const { requests, tally } = this.#load;
    const due = this.#due(number);
    const body = requests.body(number);
    tally.sent(requests.events(number), body.length, due);
    const ready = Math.max(due, this.#freed_ms);
    const exchange = new Exchange(this, tally, due, ready);
    this.#inFlight.add(exchange);
    this.#pool.dispatch({ method: 'POST', path: requests.path, headers: HEADERS, body }, exchange);
  }

  #giveUpOld(): void {
    const { requests, tally } = this.#load;
    const late = nowMs() - this.#timeout_ms;
    for (; this.#due(this.#next) <= late; this.#next++) {
      tally.sent(requests.events(this.#next), 0, this.#due(this.#next));
      this.#errors++;
    }
    for (const exchange of this.#inFlight) {
      if (exchange.due > late) break;
      exchange.giveUp();
    }
    this.#sendDue();
  }
}

/** One request and its answer, as undici reports them. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly due: number;
  /** When a connection was free for it as well. */
  readonly #ready: number;
  readonly #loop: OpenLoop;
  readonly #tally: Tally;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #givenUp = false;
  #status = 0;

  constructor(loop: OpenLoop, tally: Tally, due: number, ready: number) {
    this.#loop = loop;
    this.#tally = tally;
    this.due = due;
    this.#ready = ready;
  }

  giveUp(): void {
    this.#givenUp = true;
    this.#loop.settle(this, true);
    this.#controller?.abort(new Error('timeout'));
  }

  /** Called when the request is about to be written to its connection. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#givenUp) controller.abort(new Error('timeout'));
    else this.#tally.written(this.#ready);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#givenUp) return;
    this.#tally.answered(this.#status, Buffer.concat(this.#chunks).toString(), this.due);
    this.#loop.settle(this, false);
  }

  onResponseError(): void {
    this.#loop.settle(this, true);
  }
}
