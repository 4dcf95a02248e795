/**
 * Keeps one stream of server-sent events over `fetch` open: reconnects whenever it ends, until the signal aborts.
 *
 * It does not use `EventSource`, which cannot send a token, hides refusals, and does not exist in Node. Each request
 * states its own position, so no header of an earlier request applies. Invariant: only a permanent refusal or an
 * error of a callback ends it.
 */
import { Backoff } from './backoff.ts';
import { type Clock, sleep } from './clock.ts';
import { type Deadline, deadlineOf } from './deadline.ts';
import type { BodyReader, Fetch } from './fetch.ts';
import { type Message, messageParser } from './message-parser.ts';
import { RefusedError, refusalOf } from './refusal.ts';
import { Silence } from './silence.ts';

/** `waiting`: the last attempt failed or ended, and another follows. */
export type ConnectionState = 'connecting' | 'open' | 'waiting' | 'closed';

export interface ConnectionOptions {
  /** Returns the URL of the next request. */
  url(): string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: () => number;
  /** Receives a message. Reading pauses until the returned promise resolves. */
  onMessage(message: Message): void | Promise<void>;
  /** Receives changes of the state. For `waiting`, `wait_ms` is the time until the next attempt. */
  onState?(state: ConnectionState, error: unknown, wait_ms: number): void;
}

/** Bound of the first wait between attempts. */
const RETRY_MS = 250;

/** Runs until the signal aborts. Rejects with a `RefusedError`, or with the error of `onMessage`. */
export async function keepConnected(options: ConnectionOptions, signal: AbortSignal): Promise<void> {
  const { clock } = options;
  const backoff = new Backoff(RETRY_MS, options.random);
  const silence = new Silence(clock);
  const tell = (state: ConnectionState, error?: unknown, wait_ms = 0) =>
    options.onState?.(state, error, wait_ms);
  try {
    while (!signal.aborted) {
      tell('connecting');
      let failure: unknown;
      let asked_ms = 0;
      let isOpen = false;
      let thrown: Thrown | undefined;
      const deadline = deadlineOf(clock, signal);
      try {
        deadline.set(silence.most_ms);
        const response = await options.fetch(options.url(), {
          headers: { accept: 'text/event-stream', ...options.headers },
          cache: 'no-store',
          signal: deadline.signal,
        });
        if (response.status !== 200 || response.body === null) throw await refusalOf(response);
        isOpen = true;
        silence.hear(false);
        tell('open');
        backoff.reset();
        thrown = await read(response.body.getReader(), options, backoff, silence, deadline);
      } catch (error) {
        if (signal.aborted) throw error;
        if (error instanceof RefusedError) {
          if (!error.isForNow) throw error;
          asked_ms = error.after_ms;
        }
        if (isOpen && deadline.signal.aborted) silence.break();
        failure = error;
      } finally {
        deadline.end();
      }
      if (thrown !== undefined) throw thrown.error;
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

/** An error of a callback, not of the connection. */
interface Thrown {
  readonly error: unknown;
}

/** Reads until the stream ends or a callback throws. */
async function read(
  reader: BodyReader,
  { onMessage }: ConnectionOptions,
  backoff: Backoff,
  silence: Silence,
  deadline: Deadline,
): Promise<Thrown | undefined> {
  const decoder = new TextDecoder();
  const messages: Message[] = [];
  let hasHeartbeat = false;
  const parse = messageParser(
    (message) => messages.push(message),
    (name, value) => {
      if (!name) hasHeartbeat = true;
      // `retry` sets the bound of the random wait, unlike in `EventSource`, so that many clients do not reconnect at
      // once.
      if (name === 'retry' && /^\d+$/.test(value)) backoff.reset(Number(value));
    },
  );
  try {
    for (;;) {
      deadline.set(silence.most_ms);
      const { done, value } = await reader.read();
      // Time in a slow callback must not count as silence of the server.
      deadline.pause();
      deadline.signal.throwIfAborted();
      if (done) return undefined;
      hasHeartbeat = false;
      parse(decoder.decode(value, { stream: true }));
      silence.hear(hasHeartbeat);
      for (const message of messages.splice(0)) {
        try {
          const taken = onMessage(message);
          if (taken !== undefined) await taken;
        } catch (error) {
          return { error };
        }
        deadline.signal.throwIfAborted();
      }
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
