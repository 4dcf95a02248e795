/**
 * Sends events in batches and stores each exactly once, also across failures of the server.
 *
 * An event without an `event_id` gets one, so that a batch without an answer can be sent again. The server stores no
 * id twice (rule EVT-13). Invariants: every dropped event is reported, and no event is dropped because of another
 * one. The queue is bounded. A callback's error cannot stop the sender.
 */
import { Backoff } from './backoff.ts';
import { type Answer, answerOf, fitting, JSON_FORMAT, type SentEvent, type Waiting } from './batch.ts';
import { sleep, wait } from './clock.ts';
import type { OutgoingEvent } from './contract.ts';
import { deadlineOf, within } from './deadline.ts';
import type { ResponseLike } from './fetch.ts';
import type { Format } from './format.ts';
import { onPageHide } from './page-hide.ts';
import { RefusedError, refusalOf } from './refusal.ts';
import { REQUEST_MS, type ServerOptions, serverOf } from './server.ts';
import { Waiters } from './waiters.ts';

export interface SenderOptions extends ServerOptions {
  /** Format of the bodies; JSON by default. Others are `ndjson`, `msgpack` and `protobuf` of the entry points. */
  readonly format?: Format;
  /** Largest number of events in one request; 100 by default. */
  readonly batch_events?: number;
  /** Time that the first event of a batch waits for others, in milliseconds; 20 by default. */
  readonly linger_ms?: number;
  /** Largest number of waiting events; 10,000 by default. */
  readonly queue_events?: number;
  /** Receives an event that the server permanently rejects, with one message for each problem. */
  onRejected?(event: SentEvent, problems: readonly string[]): void;
  /**
   * Reports changes of the sender's state. `error` is the reason of `retrying` and `refused`. `retrying` is reported
   * for every failed request; `wait_ms` is the time until the next attempt.
   */
  onState?(state: SenderState, error: unknown, wait_ms: number): void;
}

/**
 * `connected`: the server accepted events. `retrying`: it is unreachable, or refuses temporarily. `refused`: it
 * refuses permanently, for example because of a wrong token; the events go to `onRejected`.
 */
export type SenderState = 'connected' | 'retrying' | 'refused';

export interface FlushOptions {
  /** Rejects with a `TimeoutError` after this many milliseconds. */
  readonly timeout_ms?: number;
  /** Rejects with the reason of this signal. */
  readonly signal?: AbortSignal;
}

/** Numbers of events so far. */
export interface SenderCounts {
  stored: number;
  /** Number of events that were already stored, by an attempt whose answer was lost or by another sender. */
  duplicates: number;
  rejected: number;
}

/** The queue of waiting events is full. */
export class QueueFullError extends Error {
  constructor(most: number) {
    super(`${most} events wait to be sent`);
    this.name = 'QueueFullError';
  }
}

/** Bound of the first wait between attempts. */
const RETRY_MS = 100;
/** Largest body of a request that outlives its page (https://fetch.spec.whatwg.org/#http-network-or-cache-fetch). */
const KEEPALIVE_BYTES = 59_000;

export class Sender {
  readonly counts: SenderCounts = { stored: 0, duplicates: 0, rejected: 0 };
  readonly #options: SenderOptions & {
    format: Format;
    batch_events: number;
    linger_ms: number;
    queue_events: number;
  };
  readonly #server: ReturnType<typeof serverOf>;
  readonly #backoff: Backoff;
  readonly #end = new AbortController();
  readonly #queue: Waiting[] = [];
  readonly #flushes = new Waiters();
  /** Number of answered events. */
  #answered = 0;
  #revision: string | null = null;
  #isRunning = false;
  /** The last reported state. */
  #state: SenderState | undefined;
  /** Ends the wait for further events. */
  #hurry = () => {};
  /** Largest number of events in a request. It is smaller than requested once the server has reported its limit. */
  #most_events: number;

  constructor(options: SenderOptions = {}) {
    this.#options = {
      format: JSON_FORMAT,
      batch_events: 100,
      linger_ms: 20,
      queue_events: 10_000,
      ...options,
    };
    this.#server = serverOf(options);
    this.#backoff = new Backoff(RETRY_MS, this.#server.random);
    this.#most_events = this.#options.batch_events;
    onPageHide(() => this.#flushBeforeEnd(), this.#end.signal);
  }

  /** Number of events that wait or are in flight. */
  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * The revision of the topic `events` in the newest answer. It includes all events that the server has acknowledged by
   * then (ING-11).
   */
  get revision(): string | null {
    return this.#revision;
  }

  /**
   * Queues an event; returns its `event_id`. Throws a {@link QueueFullError}, and a `TypeError` for a value that the
   * format cannot carry.
   */
  send(event: OutgoingEvent): string {
    this.#end.signal.throwIfAborted();
    const { queue_events, format } = this.#options;
    if (this.#queue.length >= queue_events) throw new QueueFullError(queue_events);
    const event_id = event.event_id ?? crypto.randomUUID();
    const whole = { ...event, event_id };
    this.#queue.push({ event: whole, body: format.event(whole) });
    if (this.#queue.length >= this.#most_events) this.#hurry();
    if (!this.#isRunning) void this.#run();
    return event_id;
  }

  /**
   * Resolves when every event that waits now is settled, regardless of later ones. Rejects if the sender stops first,
   * or by its options. The events then remain in the queue.
   */
  async flush({ timeout_ms, signal = this.#end.signal }: FlushOptions = {}): Promise<void> {
    this.#end.signal.throwIfAborted();
    signal.throwIfAborted();
    if (this.#queue.length === 0) return;
    this.#hurry();
    const answered = this.#answered + this.#queue.length;
    const deadline = deadlineOf(this.#server.clock, signal);
    if (timeout_ms !== undefined) deadline.set(timeout_ms);
    await this.#flushes.add(() => answered <= this.#answered, deadline.signal).finally(deadline.end);
  }

  /** Stops the sender; returns the waiting events, which are not sent. */
  stop(): readonly SentEvent[] {
    const { signal } = this.#end;
    this.#end.abort(new DOMException('the sender was stopped', 'AbortError'));
    this.#flushes.reject(signal.reason);
    this.#hurry();
    return this.#queue.splice(0).map(({ event }) => event);
  }

  /** Delivers batches while events wait. Never rejects. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      if (this.#queue.length < this.#most_events)
        await wait(this.#options.linger_ms, this.#server.clock, (hurry) => {
          this.#hurry = hurry;
        });
      while (this.#queue.length > 0) await this.#deliver(this.#queue.slice(0, this.#most_events));
    } catch {
      // The sender was stopped. No other error is thrown here.
    }
    this.#isRunning = false;
  }

  /** Sends the batch, which is the front of the queue, until each of its events is settled. */
  async #deliver(batch: readonly Waiting[]): Promise<void> {
    const { signal } = this.#end;
    const { clock } = this.#server;
    for (;;) {
      signal.throwIfAborted();
      try {
        const answer = await within(REQUEST_MS, clock, signal, async (end) => {
          const response = await this.#post(batch, end);
          if (!response.ok) throw await refusalOf(response);
          return answerOf(await response.json());
        });
        this.#report('connected');
        return this.#settle(batch, answer);
      } catch (failure) {
        signal.throwIfAborted();
        const refusal = failure instanceof RefusedError ? failure : null;
        if (refusal !== null && !refusal.isForNow) return this.#refused(batch, refusal);
        const wait_ms = this.#backoff.next(refusal?.after_ms);
        this.#report('retrying', failure, wait_ms);
        await sleep(wait_ms, clock, signal);
      }
    }
  }

  #post(batch: readonly Waiting[], signal: AbortSignal | null, keepalive = false): Promise<ResponseLike> {
    const { baseUrl, headers, fetch } = this.#server;
    const { format } = this.#options;
    return fetch(`${baseUrl}/api/events/batch`, {
      method: 'POST',
      headers: { 'content-type': format.type, ...headers },
      body: format.batch(batch.map(({ body }) => body)),
      signal,
      keepalive,
    });
  }

  /**
   * Handles a permanent refusal. The server refuses a whole body for one event in it, or for its size (BOD-01,
   * BOD-04, ING-09). The parts are sent separately until the faulty event is alone. The next batch is full again,
   * unless the count was the reason.
   */
  async #refused(batch: readonly Waiting[], refusal: RefusedError): Promise<void> {
    const { status, code, limit, message } = refusal;
    const isForEvents = status === 400 || status === 413;
    // The server accepts the sender, although it rejects these events.
    this.#report(isForEvents ? 'connected' : 'refused', isForEvents ? undefined : refusal);
    if (batch.length === 1 || !isForEvents) {
      const rejected = batch.map((_, index) => ({ index, errors: [message] }));
      return this.#settle(batch, { received: 0, duplicates: 0, rejected, revision: this.#revision });
    }
    let most = Math.ceil(batch.length / 2);
    if (code === 'batch_too_large' && limit < batch.length) most = this.#most_events = limit;
    for (let at = 0; at < batch.length; at += most) await this.#deliver(batch.slice(at, at + most));
  }

  #settle(batch: readonly Waiting[], { received, duplicates, rejected, revision }: Answer): void {
    this.#revision = revision;
    this.counts.stored += received;
    this.counts.duplicates += duplicates;
    this.counts.rejected += rejected.length;
    this.#backoff.reset();
    this.#queue.splice(0, batch.length);
    this.#answered += batch.length;
    for (const one of rejected) tell(() => this.#options.onRejected?.(batch[one.index]!.event, one.errors));
    // Runs after the callbacks. A callback may stop the sender because of a rejection, and then a flush must fail.
    this.#flushes.release();
  }

  #report(state: SenderState, error?: unknown, wait_ms = 0): void {
    if (state === this.#state && state !== 'retrying') return;
    this.#state = state;
    tell(() => this.#options.onState?.(state, error, wait_ms));
  }

  /**
   * Sends as many events as fit into a request that outlives the page. If the page stays, the events are sent again,
   * and their ids prevent duplicates.
   */
  #flushBeforeEnd(): void {
    const batch = fitting(this.#queue.slice(0, this.#most_events), KEEPALIVE_BYTES);
    if (batch.length > 0) this.#post(batch, null, true).catch(() => undefined);
  }
}

/** Calls a callback, whose error must not affect the batch. */
function tell(call: () => void): void {
  try {
    call();
  } catch {
    // The callback's error is ignored.
  }
}
