/**
 * One connection that sends requests and reads responses, over TCP or a Unix domain socket.
 *
 * It is a plain socket, because the load generator shares the cores with the server (decision 22). Invariant: a
 * response ends where its `Content-Length` or its last chunk ends. Any other response is an error.
 */
import { connect, type Socket } from 'node:net';

export type Address = { readonly port: number } | { readonly path: string };

export interface Reply {
  readonly status: number;
  /** Bytes of the body. */
  readonly bytes: number;
  /** The whole body if the caller asked to keep it, else at least its first bytes. */
  readonly body: Buffer;
}

/** These bytes hold all that the loader reads of a response to a post. */
const KEPT_BYTES = 64;
const HEAD_END = Buffer.from('\r\n\r\n');
/** Offset of the status code, after `HTTP/1.1 `. */
const STATUS_AT = 9;
const PATIENCE_MS = 60_000;

type State = 'head' | 'length' | 'size' | 'chunk' | 'chunk end' | 'trailer';

interface Waiting {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
  readonly keep: boolean;
}

export class Exchange {
  readonly #socket: Socket;
  readonly #opened: Promise<void>;
  #waiting: Waiting | null = null;
  #problem: Error | null = null;
  #state: State = 'head';
  /** Bytes of an incomplete head or line. */
  #text = Buffer.alloc(0);
  #status = 0;
  #left = 0;
  #bytes = 0;
  #parts: Buffer[] = [];

  constructor(address: Address) {
    const options = 'port' in address ? { ...address, host: '127.0.0.1', noDelay: true } : address;
    this.#socket = connect(options);
    this.#opened = new Promise((resolve, reject) => {
      this.#socket.once('connect', resolve).once('error', reject);
    });
    // A caller that does not wait for the connection gets its error from the first request.
    this.#opened.catch(() => undefined);
    this.#socket.setTimeout(PATIENCE_MS, () => this.#fail(new Error(`silent for ${PATIENCE_MS} ms`)));
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('closed before the answer')));
  }

  /** Whether the connection can still be used. */
  get isOpen(): boolean {
    return this.#problem === null;
  }

  opened(): Promise<void> {
    return this.#opened;
  }

  /** Sends one request. The caller must not change `request` before the reply has come. */
  send(request: Buffer, keep: boolean): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#problem !== null || this.#waiting !== null) {
        reject(this.#problem ?? new Error('one request at a time'));
        return;
      }
      this.#waiting = { resolve, reject, keep };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.removeAllListeners('close').destroy();
  }

  #fail(error: Error): void {
    this.#problem ??= error;
    this.#socket.destroy();
    this.#waiting?.reject(this.#problem);
    this.#waiting = null;
  }

  #read(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && this.#problem === null) at = this.#step(chunk, at);
  }

  /** Processes bytes from `at`, and returns where the rest begins. */
  #step(chunk: Buffer, at: number): number {
    if (this.#state === 'length' || this.#state === 'chunk') {
      const end = Math.min(chunk.length, at + this.#left);
      this.#keep(chunk.subarray(at, end));
      this.#left -= end - at;
      if (this.#left === 0) {
        if (this.#state === 'length') this.#done();
        else this.#state = 'chunk end';
      }
      return end;
    }
    const mark = this.#state === 'head' ? HEAD_END : HEAD_END.subarray(0, 2);
    const before = this.#text.length;
    const text = before === 0 ? chunk.subarray(at) : Buffer.concat([this.#text, chunk.subarray(at)]);
    const end = text.indexOf(mark);
    if (end < 0) {
      this.#text = Buffer.from(text);
      return chunk.length;
    }
    this.#text = Buffer.alloc(0);
    this.#line(text.toString('latin1', 0, end));
    return at + end + mark.length - before;
  }

  /** Processes a head, or a line of the chunked coding. */
  #line(text: string): void {
    switch (this.#state) {
      case 'head': {
        this.#status = Number(text.slice(STATUS_AT, STATUS_AT + 3));
        const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
        const isChunked = /\r\ntransfer-encoding: *chunked/i.test(text);
        if (this.#waiting === null || (length === undefined) !== isChunked)
          this.#fail(new Error(`an answer that was not asked for, or without a length: ${text}`));
        this.#left = Number(length ?? 0);
        if (isChunked) this.#state = 'size';
        else if (this.#left === 0) this.#done();
        else this.#state = 'length';
        break;
      }
      case 'size':
        this.#left = Number.parseInt(text, 16);
        if (Number.isNaN(this.#left)) this.#fail(new Error(`no size of a chunk: ${text}`));
        this.#state = this.#left === 0 ? 'trailer' : 'chunk';
        break;
      case 'chunk end':
        this.#state = 'size';
        break;
      default:
        this.#done();
    }
  }

  #keep(bytes: Buffer): void {
    // A small body is kept even if `keep` is false.
    if (this.#waiting!.keep || this.#bytes < KEPT_BYTES) this.#parts.push(bytes);
    this.#bytes += bytes.length;
  }

  #done(): void {
    const { resolve } = this.#waiting!;
    const body = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    const reply = { status: this.#status, bytes: this.#bytes, body };
    this.#waiting = null;
    this.#state = 'head';
    this.#bytes = 0;
    this.#parts = [];
    resolve(reply);
  }
}
