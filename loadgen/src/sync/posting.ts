/**
 * Small events with random UUIDs, and the ways to post one event at a time.
 *
 * Invariants: an event depends only on the PRNG seed and on its number, and each number has its own `event_id`. Every
 * event is posted once; a post that fails ends the measurement.
 */
import { type OutgoingEvent, Sender } from '@twin-ingest/client';
import { Exchange } from '../codecs/exchange.ts';
import { BenchFailure } from '../failure.ts';
import { uuidText } from '../load/uuid.ts';

export interface Shape {
  readonly seed: number;
  /** Bytes of metadata, at least 10. The default of 50 B is about the state of a slider. */
  readonly metadata_bytes: number;
  /** Number of sessions. The events are distributed over them in turn. */
  readonly sessions: number;
}

export const SMALL: Omit<Shape, 'seed'> = { metadata_bytes: 50, sessions: 10 };

/** Returns the id of session `number`, counted from 0. */
export function sessionOf(number: number): string {
  return `bench-${number}`;
}

/** Returns one event as JSON. */
export function eventText({ seed, metadata_bytes, sessions }: Shape, number: number): string {
  const session = sessionOf(number % sessions);
  const value = String(number % 100).padEnd(metadata_bytes - '{"v":""}'.length, '.');
  return (
    `{"event_id":"${uuidText(seed, number)}","session_id":"${session}","agent_type":"bench",` +
    `"event_type":"tool_use","tool_name":"Slider","metadata":{"v":"${value}"}}`
  );
}

/**
 * One connection that sends HTTP requests one after the other. It opens for the first request, and again for the next
 * request after the server closed it. A request rejects if the connection fails, or if the response is not valid HTTP.
 *
 * It is a plain socket, because the poster shares the cores with the server (decision 22).
 */
export class Connection {
  readonly #head: string;
  readonly #port: number;
  #exchange: Exchange | null = null;

  constructor(url: string) {
    const { port, host } = new URL(url);
    this.#head = ` HTTP/1.1\r\nHost: ${host}\r\n`;
    this.#port = Number(port);
  }

  post(path: string, body: string) {
    const length = Buffer.byteLength(body);
    const head = `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
    return this.#ask(`POST ${path}${this.#head}${head}${body}`);
  }

  get(path: string) {
    return this.#ask(`GET ${path}${this.#head}\r\n`);
  }

  close(): void {
    this.#exchange?.close();
  }

  async #ask(request: string): Promise<{ readonly status: number; readonly text: string }> {
    if (!this.#exchange?.isOpen) this.#exchange = new Exchange({ port: this.#port });
    const { status, body } = await this.#exchange.send(Buffer.from(request), true);
    return { status, text: body.toString() };
  }
}

export interface Posting {
  /** Prepares one event, given as JSON. The returned function posts it, and resolves to the revision of `events`. */
  ready(text: string): () => Promise<bigint>;
  close(): void;
}

/** Posts over a plain socket, as an agent does. It uses less of the server's cores than the `Sender` does. */
export function postBySocket(url: string): Posting {
  const connection = new Connection(url);
  return {
    ready: (body) => async () => {
      const { status, text } = await connection.post('/api/events', body);
      if (status !== 201)
        throw new BenchFailure('generator_failed', `POST /api/events answered ${status} ${text}`);
      return BigInt((JSON.parse(text) as { revision: string }).revision);
    },
    close: () => connection.close(),
  };
}

/** Posts by the shipped client's `Sender`, as a web page does: a batch of one event, sent at once. */
export function postBySender(url: string): Posting {
  let problem: string | null = null;
  const fail = (what: string): void => {
    problem ??= what;
    sender.stop();
  };
  const sender = new Sender({
    baseUrl: url,
    onState: (state, error) => {
      if (state === 'retrying') fail(String(error));
    },
    onRejected: (_event, problems) => fail(problems.join()),
  });
  return {
    ready: (text) => {
      const event = JSON.parse(text) as OutgoingEvent;
      return async () => {
        sender.send(event);
        await sender.flush().catch((error: unknown) => {
          if (problem === null) throw error;
          throw new BenchFailure('generator_failed', `the client’s Sender: ${problem}`);
        });
        return BigInt(sender.revision!);
      };
    },
    close: () => void sender.stop(),
  };
}
