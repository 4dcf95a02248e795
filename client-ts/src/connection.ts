/**
 * One stream of server-sent events over `fetch`, opened again whenever it ends, for as long as it is wanted.
 *
 * Not `EventSource`: that cannot carry a token, tells nothing of a refusal, and Node has none. Each request says itself
 * where it goes on, so that no header of an earlier one does. What must stay true: a refusal that no repetition can
 * change ends it, an error of a callback too, and nothing else does.
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { Backoff } from './backoff.ts';
import { type Clock, sleep } from './clock.ts';
import type { Fetch, ResponseLike } from './fetch.ts';

/** `waiting`: the last attempt failed or ended, another follows. */
export type ConnectionState = 'connecting' | 'open' | 'waiting' | 'closed';

export interface ConnectionOptions {
  /** Of the next request. */
  url(): string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: () => number;
  /** Nothing more is read before what it returns has resolved. */
  onMessage(message: EventSourceMessage): void | Promise<void>;
  /** `wait_ms`: of `waiting`, until the next attempt. */
  onState?(state: ConnectionState, error: unknown, wait_ms: number): void;
}

/** The server refused, for a reason that stays. */
export class RefusedError extends Error {
  readonly status: number;
  /** As in `vocabulary.json`; `null` where the answer does not say. */
  readonly code: string | null;

  constructor(status: number, code: string | null) {
    super(`refused with ${status}${code === null ? '' : ` ${code}`}`);
    this.name = 'RefusedError';
    this.status = status;
    this.code = code;
  }
}

const RETRY = { first_ms: 250, most_ms: 10_000 };
/** No byte for three heartbeats of the server's default, as the server itself waits for a reader (rule STR-08). */
const SILENCE_MS = 90_000;

/** Runs until the signal aborts; rejects with a `RefusedError`, or with what `onMessage` threw. */
export async function keepConnected(options: ConnectionOptions, signal: AbortSignal): Promise<void> {
  const { clock } = options;
  const backoff = new Backoff(RETRY, options.random);
  const tell = (state: ConnectionState, error?: unknown, wait_ms = 0) =>
    options.onState?.(state, error, wait_ms);
  try {
    while (!signal.aborted) {
      tell('connecting');
      let failure: unknown;
      let asked_ms = 0;
      try {
        const response = await request(options, signal);
        tell('open');
        backoff.reset();
        await read(response, options, backoff, signal);
      } catch (error) {
        if (error instanceof CallbackError) throw error.cause;
        if (signal.aborted || error instanceof RefusedError) throw error;
        if (error instanceof LaterError) asked_ms = error.after_ms;
        failure = error;
      }
      const wait_ms = backoff.next(asked_ms);
      tell('waiting', failure, wait_ms);
      await sleep(wait_ms, clock, signal);
    }
  } catch (error) {
    tell('closed', error);
    if (!signal.aborted) throw error;
    return;
  }
  tell('closed');
}

/** A refusal that may be over later. */
class LaterError extends Error {
  readonly after_ms: number;

  constructor(status: number, after_ms: number) {
    super(`refused with ${status} for now`);
    this.name = 'LaterError';
    this.after_ms = after_ms;
  }
}

/** What was not the connection's fault. */
class CallbackError extends Error {
  constructor(cause: unknown) {
    super('a callback failed', { cause });
  }
}

async function request(options: ConnectionOptions, signal: AbortSignal): Promise<ResponseLike> {
  const response = await options.fetch(options.url(), {
    headers: { accept: 'text/event-stream', ...options.headers },
    cache: 'no-store',
    signal,
  });
  if (response.status === 200 && response.body !== null) return response;
  const code = await codeOf(response);
  if (isForNow(response.status)) throw new LaterError(response.status, retryAfter(response.headers));
  throw new RefusedError(response.status, code);
}

async function read(
  response: ResponseLike,
  { clock, onMessage }: ConnectionOptions,
  backoff: Backoff,
  signal: AbortSignal,
): Promise<void> {
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  const messages: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (message) => messages.push(message),
    // Not the wait itself, as with `EventSource`, but its bound: many clients are not to come back at once.
    onRetry: (first_ms) => backoff.reset(first_ms),
  });
  let cancelSilence = () => {};
  try {
    for (;;) {
      const silent = new Promise<never>((_, reject) => {
        cancelSilence = clock.after(SILENCE_MS, () => reject(new Error('the stream fell silent')));
      });
      const { done, value } = await Promise.race([reader.read(), silent]);
      cancelSilence();
      signal.throwIfAborted();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      for (const message of messages.splice(0)) {
        try {
          const taken = onMessage(message);
          if (taken !== undefined) await taken;
        } catch (error) {
          throw new CallbackError(error);
        }
        signal.throwIfAborted();
      }
    }
  } finally {
    cancelSilence();
    reader.cancel().catch(() => undefined);
  }
}

/** Of an error's body, as every one of this contract has it. */
export async function codeOf(response: ResponseLike): Promise<string | null> {
  try {
    const { code } = (await response.json()) as { readonly code?: unknown };
    return typeof code === 'string' ? code : null;
  } catch {
    return null;
  }
}

/** Whether the same request may succeed later. */
export function isForNow(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Milliseconds, from seconds or a date (RFC 9110, section 10.2.3); 0 where there is none. */
export function retryAfter(headers: ResponseLike['headers']): number {
  const text = headers.get('retry-after');
  if (text === null) return 0;
  if (/^\s*\d+\s*$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : Math.max(0, at - Date.now());
}
