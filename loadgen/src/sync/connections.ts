/**
 * Connections that send HTTP requests, each one request after the other.
 *
 * They are plain sockets, because the poster shares the cores with the server (decision 22). Of a response they read
 * only the status and `Content-Length`, which every server of the contract sends. Any other response is an error.
 */
import { connect, type Socket } from 'node:net';

export interface Answered {
  readonly status: number;
  readonly text: string;
}

interface Asked {
  readonly request: string;
  readonly resolve: (answered: Answered) => void;
  readonly reject: (error: Error) => void;
}

/** A connection is closed after this time without any traffic. */
const PATIENCE_MS = 60_000;
const HEAD_END = '\r\n\r\n';
/** Offset of the status code, after `HTTP/1.1 `. */
const STATUS_AT = 9;

/** A pool of `count` connections. A request waits while every connection is busy. */
export class Connections {
  readonly #head: string;
  readonly #all: readonly Connection[];
  readonly #free: Connection[];
  readonly #waiting: Asked[] = [];

  constructor(url: string, count: number) {
    const { hostname, port, host } = new URL(url);
    this.#head = ` HTTP/1.1\r\nHost: ${host}\r\n`;
    this.#all = Array.from({ length: count }, () => new Connection(hostname, Number(port)));
    this.#free = [...this.#all];
  }

  /** Rejects if the connection fails, or if the response is not valid HTTP. */
  post(path: string, body: string): Promise<Answered> {
    const length = Buffer.byteLength(body);
    const head = `Content-Type: application/json\r\nContent-Length: ${length}${HEAD_END}`;
    return this.#ask(`POST ${path}${this.#head}${head}${body}`);
  }

  /** Rejects in the same cases as `post`. */
  get(path: string): Promise<Answered> {
    return this.#ask(`GET ${path}${this.#head}\r\n`);
  }

  /** Closes every connection. Requests without a response are rejected. */
  close(): void {
    for (const asked of this.#waiting.splice(0)) asked.reject(new Error('closed before it was sent'));
    for (const connection of this.#all) connection.close();
  }

  #ask(request: string): Promise<Answered> {
    return new Promise((resolve, reject) => this.#send({ request, resolve, reject }));
  }

  #send(asked: Asked): void {
    const connection = this.#free.pop();
    if (connection === undefined) {
      this.#waiting.push(asked);
      return;
    }
    connection.ask(asked, () => {
      this.#free.push(connection);
      const next = this.#waiting.shift();
      if (next !== undefined) this.#send(next);
    });
  }
}

/** One connection. It opens its socket with the first request, and again after the server closed it. */
class Connection {
  readonly #host: string;
  readonly #port: number;
  #socket: Socket | null = null;
  #asked: Asked | null = null;
  #onFree: () => void = () => undefined;
  #rest: Buffer | null = null;

  constructor(host: string, port: number) {
    this.#host = host;
    this.#port = port;
  }

  ask(asked: Asked, onFree: () => void): void {
    this.#asked = asked;
    this.#onFree = onFree;
    this.#socket ??= this.#open();
    this.#socket.write(asked.request);
  }

  close(): void {
    this.#socket?.destroy();
  }

  #open(): Socket {
    const socket = connect({ host: this.#host, port: this.#port, noDelay: true });
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error(`silent for ${PATIENCE_MS} ms`)));
    socket.on('data', (chunk) => this.#read(socket, chunk));
    let problem: Error | null = null;
    socket.on('error', (error) => {
      problem = error;
    });
    socket.on('close', () => {
      this.#socket = null;
      this.#rest = null;
      this.#done()?.reject(problem ?? new Error('closed before the answer'));
    });
    return socket;
  }

  #read(socket: Socket, chunk: Buffer): void {
    const bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]);
    const headEnd = bytes.indexOf(HEAD_END);
    if (headEnd < 0) {
      this.#rest = bytes;
      return;
    }
    // Response heads and the JSON of revisions, numbers and ids are ASCII.
    const head = bytes.toString('latin1', 0, headEnd);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    const from = headEnd + HEAD_END.length;
    const to = from + Number(length);
    if (length === undefined || this.#asked === null || bytes.length > to) {
      socket.destroy(new Error(`an answer without a request, or without a length: ${head}`));
    } else if (bytes.length < to) {
      this.#rest = bytes;
    } else {
      this.#rest = null;
      const status = Number(head.slice(STATUS_AT, STATUS_AT + 3));
      this.#done()?.resolve({ status, text: bytes.toString('latin1', from, to) });
    }
  }

  /** Frees the connection, and returns the request that it was processing, if any. */
  #done(): Asked | null {
    const asked = this.#asked;
    this.#asked = null;
    if (asked !== null) this.#onFree();
    return asked;
  }
}
