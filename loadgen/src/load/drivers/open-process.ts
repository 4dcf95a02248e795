/**
 * Sends at fixed times: request k is due at `start + k * interval`, whatever the server does.
 *
 * A request is sent when it is due, or as soon as a connection is free. Its latency counts from the moment it was due. A
 * stall therefore counts for every request that was due meanwhile (coordinated omission). Invariants: none is
 * dropped. A request without an answer `timeout_s` after it was due is a timeout, even when it still waits for a
 * connection. It counts as sent, so that such a run cannot balance. Requests wait here and not in undici, since a
 * waiting body takes memory.
 */
import { type Dispatcher, Pool } from 'undici';
import { nowMs } from '../../observe/clock.ts';
import type { Load } from './generator-process.ts';
import type { Metronome } from './metronome.ts';
import type { Tally } from './tally.ts';

/** From the order to its first request: for the pool and the metronome to be ready. */
const LEAD_MS = 5;

/** How often requests are looked through for timeouts. */
const SWEEP_MS = 100;

const HEADERS = { 'content-type': 'application/json' };

export function sendOpenly(load: Load, metronome: Metronome): Promise<{ errors: number; timeouts: number }> {
  return new OpenLoop(load, metronome).run();
}

class OpenLoop {
  readonly #load: Load;
  readonly #metronome: Metronome;
  readonly #pool: Pool;
  readonly #interval_ms: number;
  readonly #timeout_ms: number;
  readonly #start_ms = nowMs() + LEAD_MS;
  /** In the order in which they were due. */
  readonly #inFlight = new Set<Exchange>();
  /** Of bodies that were answered. */
  readonly #free: ArrayBuffer[] = [];
  readonly #ended = Promise.withResolvers<void>();
  #next = 0;
  /** When a connection last became free while all were busy. */
  #freed_ms = Number.NEGATIVE_INFINITY;
  #errors = 0;
  #timeouts = 0;
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

  async run(): Promise<{ errors: number; timeouts: number }> {
    const sweep = setInterval(() => this.#giveUpOld(), SWEEP_MS);
    this.#metronome.run(this.#start_ms, this.#interval_ms, () => this.#sendDue());
    try {
      await this.#ended.promise;
    } finally {
      clearInterval(sweep);
      this.#metronome.stop();
      await this.#pool.destroy();
    }
    return { errors: this.#errors, timeouts: this.#timeouts };
  }

  /** An exchange reports its end once; `failed` are errors of the connection and timeouts. */
  settle(exchange: Exchange, failed: boolean): void {
    const wereBusy = this.#inFlight.size === this.#load.job.connections;
    if (!this.#inFlight.delete(exchange)) return;
    if (wereBusy) this.#freed_ms = nowMs();
    if (failed) this.#errors++;
    // Only who stored the body has read all of it; else it may still be on its way to the socket.
    if (!failed && exchange.isStored) this.#free.push(exchange.memory);
    this.#sendDue();
  }

  /** Sends what is due and has a connection. */
  #sendDue(): void {
    // An exchange that fails at once comes back here before its dispatch has returned.
    if (this.#sending) return;
    this.#sending = true;
    const { job, requests } = this.#load;
    while (this.#inFlight.size < job.connections && this.#due(this.#next) <= nowMs())
      this.#send(this.#next++);
    this.#sending = false;
    if (this.#next === requests.count && this.#inFlight.size === 0) this.#ended.resolve();
  }

  /** When the request is due; never, after the last. */
  #due(number: number): number {
    const { count } = this.#load.requests;
    return number < count ? this.#start_ms + number * this.#interval_ms : Number.POSITIVE_INFINITY;
  }

  #send(number: number): void {
    const { requests, tally } = this.#load;
    const due = this.#due(number);
    const body = requests.body(number, this.#free.pop());
    tally.sent(requests.events(number), body.length, due);
    const ready = Math.max(due, this.#freed_ms);
    const exchange = new Exchange(this, tally, { due, ready }, body.buffer as ArrayBuffer);
    this.#inFlight.add(exchange);
    this.#pool.dispatch({ method: 'POST', path: requests.path, headers: HEADERS, body }, exchange);
  }

  #giveUpOld(): void {
    const { requests, tally } = this.#load;
    const late = nowMs() - this.#timeout_ms;
    for (; this.#due(this.#next) <= late; this.#next++) {
      tally.sent(requests.events(this.#next), 0, this.#due(this.#next));
      this.#timeouts++;
      this.#errors++;
    }
    for (const exchange of this.#inFlight) {
      if (exchange.due > late) break;
      this.#timeouts++;
      exchange.giveUp();
    }
    this.#sendDue();
  }
}

/** When a request was due, and from when on it had a connection as well. */
interface Times {
  readonly due: number;
  readonly ready: number;
}

/** One request and its answer, as undici reports them. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly due: number;
  readonly #ready: number;
  /** What the body lies in. */
  readonly memory: ArrayBuffer;
  readonly #loop: OpenLoop;
  readonly #tally: Tally;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #givenUp = false;
  #status = 0;

  constructor(loop: OpenLoop, tally: Tally, { due, ready }: Times, memory: ArrayBuffer) {
    this.#loop = loop;
    this.#tally = tally;
    this.due = due;
    this.#ready = ready;
    this.memory = memory;
  }

  /** Whether the answer was a 2xx. */
  get isStored(): boolean {
    return !this.#givenUp && this.#status >= 200 && this.#status < 300;
  }

  giveUp(): void {
    this.#givenUp = true;
    this.#loop.settle(this, true);
    this.#controller?.abort(new Error('timeout'));
  }

  /** The request is about to be written to its connection. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#givenUp) controller.abort(new Error('timeout'));
    else this.#tally.written(this.due, this.#ready);
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
