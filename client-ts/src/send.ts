/**
 * Sends events in batches and sees to it that each is stored once, whatever happens to the server in between.
 *
 * An event without an `event_id` is given one, so that a batch whose answer was lost can be sent again: the server
 * stores no id twice (rule EVT-13). What must stay true: no event is dropped without saying so; what waits is bounded.
 * Over 250 lines because the life of a batch, from its queue to its last attempt, is told in one place.
 */
import { Backoff } from './backoff.ts';
import { sleep } from './clock.ts';
import { codeOf, isForNow, RefusedError, retryAfter } from './connection.ts';
import type { ResponseLike } from './fetch.ts';
import { type ServerOptions, serverOf } from './server.ts';

/** An event as sent (contract, section "An event as sent"). */
export interface OutgoingEvent {
  readonly session_id: string;
  readonly agent_type: string;
  readonly event_type: string;
  readonly event_id?: string;
  readonly [field: string]: unknown;
}

export interface SenderOptions extends ServerOptions {
  /** Most events in one request; 100 unless said otherwise. */
  readonly batch_events?: number;
  /** How long the first event of a batch waits for others, milliseconds; 20 unless said otherwise. */
  readonly linger_ms?: number;
  /** Most events that wait; 10,000 unless said otherwise. */
  readonly queue_events?: number;
  /** An event that the server will never take, and why: a message per problem. */
  onRejected?(event: OutgoingEvent, problems: readonly string[]): void;
  /** An attempt failed; it is repeated. */
  onRetry?(error: unknown, wait_ms: number): void;
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

const RETRY = { first_ms: 100, most_ms: 10_000 };
const REQUEST_MS = 30_000;
/** A browser sends no more than this once a page is gone (https://fetch.spec.whatwg.org/#http-network-or-cache-fetch). */
const KEEPALIVE_BYTES = 60_000;

interface Waiting {
  readonly event: OutgoingEvent;
  readonly text: string;
}

interface Answer {
  readonly revision: string;
  readonly received: number;
  readonly duplicates: number;
  readonly rejected: readonly { readonly index: number; readonly errors: readonly string[] }[];
}

export class Sender {
  readonly counts: SenderCounts = { stored: 0, duplicates: 0, rejected: 0 };
  readonly #options: SenderOptions & { batch_events: number; linger_ms: number; queue_events: number };
  readonly #server: ReturnType<typeof serverOf>;
  readonly #backoff: Backoff;
  readonly #end = new AbortController();
  readonly #queue: Waiting[] = [];
  #revision: string | null = null;
  #running: Promise<void> | undefined;
  /** Ends the wait for more events. */
  #hurry: (() => void) | undefined;
  /** A batch that was too large once is not made so large again. */
  #batch_events: number;

  constructor(options: SenderOptions = {}) {
    this.#options = { batch_events: 100, linger_ms: 20, queue_events: 10_000, ...options };
    this.#server = serverOf(options);
    this.#backoff = new Backoff(RETRY, this.#server.random);
    this.#batch_events = this.#options.batch_events;
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

  /** Takes an event to be sent; returns its `event_id`. Throws a {@link QueueFullError}. */
  send(event: OutgoingEvent): string {
    this.#end.signal.throwIfAborted();
    const { queue_events } = this.#options;
    if (this.#queue.length >= queue_events) throw new QueueFullError(queue_events);
    const event_id = event.event_id ?? crypto.randomUUID();
    const whole = { ...event, event_id };
    this.#queue.push({ event: whole, text: JSON.stringify(whole) });
    if (this.#queue.length >= this.#batch_events) this.#hurry?.();
    this.#running ??= this.#run();
    return event_id;
  }

  /** Resolves when everything that waits now was answered for; rejects when the sender is stopped before. */
  async flush(): Promise<void> {
    this.#hurry?.();
    await this.#running;
    this.#end.signal.throwIfAborted();
  }

  /** Ends; what still waits is returned, and not sent. */
  stop(): readonly OutgoingEvent[] {
    this.#end.abort(new DOMException('the sender was stopped', 'AbortError'));
    return this.#queue.splice(0).map(({ event }) => event);
  }

  /** While something waits. Never rejects. */
  async #run(): Promise<void> {
    const { signal } = this.#end;
    try {
      await this.#linger(signal);
      while (this.#queue.length > 0) {
        const batch = this.#queue.slice(0, this.#batch_events);
        await this.#deliver(batch, signal);
      }
    } catch {
      // Stopped.
    }
    this.#running = undefined;
  }

  async #linger(signal: AbortSignal): Promise<void> {
    if (this.#queue.length >= this.#batch_events) return;
    const hurry = new AbortController();
    this.#hurry = () => hurry.abort();
    await sleep(this.#options.linger_ms, this.#server.clock, AbortSignal.any([signal, hurry.signal])).catch(
      () => undefined,
    );
    this.#hurry = undefined;
    signal.throwIfAborted();
  }

  /** One attempt; the batch leaves the queue when the server has answered for it. */
  async #deliver(batch: readonly Waiting[], signal: AbortSignal): Promise<void> {
    let failure: unknown;
    let asked_ms = 0;
    try {
      const response = await this.#post(batch, AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]));
      if (response.ok) {
        this.#settle(batch, (await response.json()) as Answer);
        return;
      }
      failure = new RefusedError(response.status, await codeOf(response));
      if (response.status === 413 && batch.length > 1) {
        this.#batch_events = Math.ceil(batch.length / 2);
        return;
      }
      if (!isForNow(response.status)) {
        this.#reject(batch, String((failure as RefusedError).message));
        return;
      }
      asked_ms = retryAfter(response.headers);
    } catch (error) {
      failure = error;
    }
    signal.throwIfAborted();
    const wait_ms = this.#backoff.next(asked_ms);
    this.#options.onRetry?.(failure, wait_ms);
    await sleep(wait_ms, this.#server.clock, signal);
  }

  #post(batch: readonly Waiting[], signal: AbortSignal | null, keepalive = false): Promise<ResponseLike> {
    const { baseUrl, headers, fetch } = this.#server;
    return fetch(`${baseUrl}/api/events/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: bodyOf(batch),
      signal,
      keepalive,
    });
  }

  #settle(batch: readonly Waiting[], { received, duplicates, rejected, revision }: Answer): void {
    this.#queue.splice(0, batch.length);
    this.#backoff.reset();
    this.#revision = revision;
    this.counts.stored += received;
    this.counts.duplicates += duplicates;
    this.counts.rejected += rejected.length;
    for (const { index, errors } of rejected) this.#tellRejected(batch[index]!.event, errors);
  }

  #reject(batch: readonly Waiting[], problem: string): void {
    this.#queue.splice(0, batch.length);
    this.counts.rejected += batch.length;
    for (const { event } of batch) this.#tellRejected(event, [problem]);
  }

  #tellRejected(event: OutgoingEvent, problems: readonly string[]): void {
    try {
      this.#options.onRejected?.(event, problems);
    } catch {
      // Whoever hears of it must not make the batch be sent again.
    }
  }

  /** What fits into a request that outlives the page; should the page live on, the ids make a repetition harmless. */
  #flushBeforeEnd(): void {
    let left = KEEPALIVE_BYTES - bodyOf([]).length;
    const fits = this.#queue.slice(0, this.#options.batch_events).filter(({ text }) => {
      const bytes = new Blob([text]).size + 1;
      if (bytes > left) return false;
      left -= bytes;
      return true;
    });
    if (fits.length > 0) this.#post(fits, null, true).catch(() => undefined);
  }
}

function bodyOf(batch: readonly Waiting[]): string {
  return `{"events":[${batch.map(({ text }) => text).join(',')}]}`;
}

/** What a browser has and Node has not. */
interface Page {
  readonly document?: { readonly visibilityState: string };
  readonly addEventListener?: (
    type: string,
    heard: () => void,
    options: { readonly signal: AbortSignal; readonly capture: boolean },
  ) => void;
}

/** A page that is hidden may never be heard of again (https://developer.mozilla.org/docs/Web/API/Document/visibilitychange_event). */
function onPageHide(flush: () => void, signal: AbortSignal): void {
  const page = globalThis as unknown as Page;
  const { addEventListener } = page;
  if (addEventListener === undefined) return;
  for (const type of ['pagehide', 'visibilitychange']) {
    const heard = () => {
      if (type === 'pagehide' || page.document?.visibilityState === 'hidden') flush();
    };
    addEventListener.call(globalThis, type, heard, { signal, capture: true });
  }
}
