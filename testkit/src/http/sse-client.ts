/**
 * Reads a live stream by the WHATWG rules for server-sent events, and can pause reading.
 *
 * The tests need comments, missing ids and raw bytes, and must act as a slow reader. No client library offers that.
 */
import net from 'node:net';
import { type Header, type ResponseHead, ResponseParser } from './http-parser.ts';

export interface Frame {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string | undefined;
  readonly comment: string | undefined;
  /** The reconnection time in milliseconds, as text. */
  readonly retry: string | undefined;
}

/** The data of a frame. */
export interface Message {
  readonly type: string;
  readonly payload?: unknown;
  readonly [key: string]: unknown;
}

/** The data of a frame of `mode=invalidate` (SYN-02). */
export interface Invalidation {
  readonly topic: string;
  readonly revision: string;
  readonly epoch: string;
}

const DEADLINE_MS = 10_000;

export class SseClient {
  readonly frames: Frame[] = [];
  /** The data of the `invalidate` frames, in order of arrival. */
  readonly invalidations: Invalidation[] = [];
  head: ResponseHead | undefined;
  /** The body of an answer that is not a stream. */
  body = '';
  ended = false;
  readonly #socket: net.Socket;
  #buffer = '';
  #wake: (() => void)[] = [];

  private constructor(socket: net.Socket) {
    this.#socket = socket;
  }

  /** Resolves once the head of the answer has arrived. */
  static async open(
    at: number | string,
    path = '/api/stream',
    headers: readonly Header[] = [],
  ): Promise<SseClient> {
    const socket = net.connect(typeof at === 'string' ? { path: at } : { port: at, host: '127.0.0.1' });
    const client = new SseClient(socket);
    const decoder = new TextDecoder();
    const parser = new ResponseParser(
      {
        interim: () => {},
        head: (head) => {
          client.head = head;
        },
        body: (bytes) => client.#take(decoder.decode(bytes, { stream: true })),
        end: () => {
          client.ended = true;
        },
      },
      false,
    );
    socket.on('data', (bytes) => {
      parser.push(bytes);
      client.#notify();
    });
    const end = (): void => {
      client.ended = true;
      client.#notify();
    };
    socket.on('error', end).on('end', end).on('close', end);
    const lines = [
      ['host', typeof at === 'string' ? 'localhost' : `127.0.0.1:${at}`] as const,
      ...headers,
    ].map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    await client.waitFor(() => client.head !== undefined || client.ended, 'the head of the stream');
    return client;
  }

  get messages(): Message[] {
    return this.frames
      .filter((frame) => frame.data !== undefined)
      .map((frame) => JSON.parse(frame.data!) as Message);
  }

  /** The newest reported revision of a topic. */
  revisionOf(topic: string): string | undefined {
    return this.invalidations.findLast((one) => one.topic === topic)?.revision;
  }

  /** Ids of the event frames so far, in order of arrival. */
  get ids(): number[] {
    return this.frames.filter((frame) => frame.id !== undefined).map((frame) => Number(frame.id));
  }

  async waitFor(condition: () => boolean, what: string, deadlineMs = DEADLINE_MS): Promise<void> {
    const until = performance.now() + deadlineMs;
    while (!condition()) {
      const left = until - performance.now();
      if (left <= 0) throw new Error(`${what}: not within ${deadlineMs} ms; ${this.#summary()}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  /** Stops reading. The kernel's buffers fill first, then those of the server. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.body += this.body.length < 1_000 ? text.slice(0, 1_000) : '';
    this.#buffer += text;
    const parts = this.#buffer.split('\n\n');
    this.#buffer = parts.pop()!;
    for (const frame of parts.map(parseFrame)) {
      this.frames.push(frame);
      if (frame.event === 'invalidate') this.invalidations.push(JSON.parse(frame.data!) as Invalidation);
    }
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  #summary(): string {
    const state = this.ended ? 'ended' : 'open';
    return `the stream is ${state} with ${this.frames.length} frames, the last ${JSON.stringify(this.frames.at(-1))}`;
  }
}

function parseFrame(text: string): Frame {
  const fields: { -readonly [Name in keyof Frame]?: Frame[Name] } = {};
  for (const line of text.split(/\r\n|\r|\n/)) {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (colon === 0) fields.comment = value;
    else if (name === 'data') fields.data = fields.data === undefined ? value : `${fields.data}\n${value}`;
    else if (name === 'id') fields.id = value;
    else if (name === 'event') fields.event = value;
    else if (name === 'retry') fields.retry = value;
    else throw new Error(`a stream line that is no field: ${JSON.stringify(line.slice(0, 200))}`);
  }
  const { id, event, data, comment, retry } = fields;
  return { id, event, data, comment, retry };
}
