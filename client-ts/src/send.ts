/**
 * Sends events in batches and sees to it that each is stored once, whatever happens to the server in between.
 *
 * An event without an `event_id` is given one, so that a batch whose answer was lost can be sent again: the server
 * stores no id twice (rule EVT-13). What must stay true: no event is dropped without saying so, and none for the sake
 * of another; what waits is bounded; whoever is called back cannot stop what goes out.
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
  /** Of the bodies; JSON unless given. Others are `ndjson`, `msgpack` and `protobuf` of the entry points. */
  readonly format?: Format;
  /** Most events in one request; 100 unless said otherwise. */
  readonly batch_events?: number;
  /** How long the first event of a batch waits for others, milliseconds; 20 unless said otherwise. */
  readonly linger_ms?: number;
  /** Most events that wait; 10,000 unless said otherwise. */
  readonly queue_events?: number;
  /** An event that the server will never take, and why: a message per problem. */
  onRejected?(event: SentEvent, problems: readonly string[]): void;
  /**
   * What became of the newest request, when that changes. `error`: of `retrying` and `refused`, why; `wait_ms`: of
   * `retrying`, which is reported for every failed request, until the next attempt.
   */
  onState?(state: SenderState, error: unknown, wait_ms: number): void;
}

/**
 * `connected`: the server answered for events. `retrying`: it could not be reached, or refuses for now. `refused`: it
 * refuses for a reason that stays, such as a wrong token, and the events are handed to `onRejected`.
 */
export type SenderState = 'connected' | 'retrying' | 'refused';

export interface FlushOptions {
  /** After this many milliseconds it rejects with a `TimeoutError`. */
  readonly timeout_ms?: number;
  /** It rejects with the reason of this signal. */
  readonly signal?: AbortSignal;
}

/** What came of it so far, in events. */
export interface SenderCounts {
  stored: number;
  /** Had been stored by an attempt whose answer was lost, or by somebody else. */
  duplicates: number;
  rejected: number;
}

/** More events wait than were allowed to. */
export class QueueFullError extends Error {
  constructor(most: number) {
    super(`${most} events wait to be sent`);
    this.name = 'QueueFullError';
  }
}

/** Bound of the first wait before another attempt. */
const RETRY_MS = 100;
/** A browser sends no more than this once a page is gone (https://fetch.spec.whatwg.org/#http-network-or-cache-fetch). */
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
  /** Events. */
  #answered = 0;
  #revision: string | null = null;
  #isRunning = false;
  /** As reported last. */
  #state: SenderState | undefined;
  /** Ends the wait for more events. */
  #hurry = () => {};
  /** Fewer than was asked for once the server has said how many it takes. */
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

  /** Events that wait or are under way. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Of the newest answer: the revision of the topic `events` that has in it what was sent until then (ING-11). */
  get revision(): string | null {
    return this.#revision;
  }

  /**
   * Takes an event to be sent; returns its `event_id`. Throws a {@link QueueFullError}, and a `TypeError` for a value
   * that the format cannot carry.
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
   * Resolves when everything that waits now was answered for, whatever came after it; rejects when the sender is
   * stopped before, or by its options. What waits then goes on waiting.
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

  /** Ends; what still waits is returned, and not sent. */
  stop(): readonly SentEvent[] {
    const { signal } = this.#end;
    this.#end.abort(new DOMException('the sender was stopped', 'AbortError'));
    this.#flushes.reject(signal.reason);
    this.#hurry();
    return this.#queue.splice(0).map(({ event }) => event);
  }

  /** While something waits. Never rejects. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      if (this.#queue.length < this.#most_events)
        await wait(this.#options.linger_ms, this.#server.clock, (hurry) => {
          this.#hurry = hurry;
        });
      while (this.#queue.length > 0) await this.#deliver(this.#queue.slice(0, this.#most_events));
    } catch {
      // Stopped: nothing else is thrown.
    }
    this.#isRunning = false;
  }

  /** Until each event was answered for. What is sent is always the beginning of the queue. */
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
   * For good. A body is refused whole for one event in it, or for its size (BOD-01, BOD-04, ING-09): its parts go on by
   * themselves, until what is to blame stands alone. The next batch is a whole one again, unless it was the count.
   */
  async #refused(batch: readonly Waiting[], refusal: RefusedError): Promise<void> {
    const { status, code, limit, message } = refusal;
    const isForEvents = status === 400 || status === 413;
    // Events that are wrong come from a sender that the server accepts.
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
    // After those who may stop it for what was rejected: a flush then fails.
    this.#flushes.release();
  }

  #report(state: SenderState, error?: unknown, wait_ms = 0): void {
    if (state === this.#state && state !== 'retrying') return;
    this.#state = state;
    tell(() => this.#options.onState?.(state, error, wait_ms));
  }

  /** What fits into a request that outlives the page; should the page live on, the ids make a repetition harmless. */
  #flushBeforeEnd(): void {
    const batch = fitting(this.#queue.slice(0, this.#most_events), KEEPALIVE_BYTES);
    if (batch.length > 0) this.#post(batch, null, true).catch(() => undefined);
  }
}

/** Whoever is told must not change what becomes of the batch by throwing. */
function tell(call: () => void): void {
  try {
    call();
  } catch {
    // Its own affair.
  }
}
