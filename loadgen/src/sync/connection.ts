/**
 * One connection that sends HTTP requests one after the other. It opens for the first request, and again for the next
 * request after the server closed it.
 *
 * It is a plain socket, because the poster shares the cores with the server (decision 22).
 */
import { Exchange } from '../codecs/exchange.ts';

export interface Answered {
  readonly status: number;
  readonly text: string;
}

export class Connection {
  readonly #head: string;
  readonly #port: number;
  #exchange: Exchange | null = null;

  constructor(url: string) {
    const { port, host } = new URL(url);
    this.#head = ` HTTP/1.1\r\nHost: ${host}\r\n`;
    this.#port = Number(port);
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

  close(): void {
    this.#exchange?.close();
  }

  async #ask(request: string): Promise<Answered> {
    if (!this.#exchange?.isOpen) this.#exchange = new Exchange({ port: this.#port });
    const { status, body } = await this.#exchange.send(Buffer.from(request), true);
    return { status, text: body.toString() };
  }
}
