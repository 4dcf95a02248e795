/**
 * Connections that send HTTP requests, each one request after the other.
 *
 * They are plain sockets, because the poster shares the cores with the server (decision 22).
 */
import { Exchange } from '../codecs/exchange.ts';

export interface Answered {
  readonly status: number;
  readonly text: string;
}

/** A pool of `count` connections, which are opened when they are needed. A request waits while all are busy. */
export class Connections {
  readonly #head: string;
  readonly #port: number;
  /** Connections without a request; `null` for one that is not open. */
  readonly #free: (Exchange | null)[];
  readonly #waiting: (() => void)[] = [];

  constructor(url: string, count: number) {
    const { port, host } = new URL(url);
    this.#head = ` HTTP/1.1\r\nHost: ${host}\r\n`;
    this.#port = Number(port);
    this.#free = Array.from({ length: count }, () => null);
  }

  /** Rejects if the connection fails, or if the response is not valid HTTP. */
  post(path: string, body: string): Promise<Answered> {
    const length = Buffer.byteLength(body);
    const head = `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
    return this.#ask(`POST ${path}${this.#head}${head}${body}`);
  }

  /** Rejects in the same cases as `post`. */
  get(path: string): Promise<Answered> {
    return this.#ask(`GET ${path}${this.#head}\r\n`);
  }

  /** Closes every connection. No request may be under way. */
  close(): void {
    for (const exchange of this.#free) exchange?.close();
  }

  async #ask(request: string): Promise<Answered> {
    if (this.#free.length === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const kept = this.#free.pop();
    const exchange = kept?.isOpen ? kept : new Exchange({ port: this.#port });
    try {
      const { status, body } = await exchange.send(Buffer.from(request), true);
      return { status, text: body.toString() };
    } finally {
      this.#free.push(exchange.isOpen ? exchange : null);
      this.#waiting.shift()?.();
    }
  }
}
