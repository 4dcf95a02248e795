/**
 * A raw HTTP/1.1 client: sends any bytes, and returns all bytes of the answer.
 *
 * The cases send requests that no library sends. They also check header order, repeated names, interim answers and the
 * side that closed the connection, so the project does not use a library here.
 *
 * Invariant: an answer is never lost. A server may answer and close while the body is still being sent. The write then
 * fails (EPIPE, ECONNRESET) while the answer waits in the receive buffer, so a failed write does not stop reading.
 */
import net from 'node:net';
import {
  type Header,
  headerValues,
  ProtocolError,
  type ResponseHead,
  ResponseParser,
} from './http-parser.ts';

export interface Response extends ResponseHead {
  readonly body: Buffer;
  /** Interim 1xx answers. */
  readonly interim: readonly ResponseHead[];
}

/**
 * The result of an exchange. `silent`: the server closed without sending a byte. `garbled`: the bytes are not an
 * answer.
 */
export type Answer =
  | { readonly kind: 'response'; readonly response: Response }
  | { readonly kind: 'silent' }
  | { readonly kind: 'garbled'; readonly problem: string; readonly received: Buffer }
  | { readonly kind: 'late'; readonly afterMs: number; readonly received: Buffer };

export interface Outgoing {
  readonly method: string;
  readonly head: Buffer;
  readonly body: Buffer;
  /** Whether the body waits for a 100 (`Expect: 100-continue`). */
  readonly awaitContinue: boolean;
}

/** Size of a piece of a body, small enough to notice an early answer before writing the next piece. */
const PIECE_BYTES = 65_536;

/** A socket that continues to read after a failed write: the stream above it does not see the failure. */
class PatientSocket extends net.Socket {
  override _write(chunk: Buffer, encoding: BufferEncoding, done: () => void): void {
    super._write(chunk, encoding, () => done());
  }
}

export class Connection {
  readonly #socket: PatientSocket;
  #onData: ((bytes: Buffer) => void) | undefined;
  #unread: Buffer[] = [];
  #ended = false;
  readonly #end: Promise<void>;
  #resolveEnd: () => void = () => {};

  private constructor(socket: PatientSocket) {
    this.#socket = socket;
    this.#end = new Promise((resolve) => {
      this.#resolveEnd = resolve;
    });
    socket.on('data', (bytes: Buffer) => {
      if (this.#onData) this.#onData(bytes);
      else this.#unread.push(bytes);
    });
    const finished = (): void => {
      this.#ended = true;
      // An exchange in progress may still send; an idle connection closes when the server closes it, as in real
      // clients.
      if (!this.#onData) socket.end();
      this.#resolveEnd();
    };
    // A reset also counts as the end; not every kernel lets a program distinguish the two.
    socket.on('error', finished).on('end', finished).on('close', finished);
  }

  /** Connects to a port, or to the path of a Unix domain socket. */
  static open(at: number | string, host = '127.0.0.1'): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = new PatientSocket({ allowHalfOpen: true });
      socket.once('error', reject);
      const address = typeof at === 'string' ? { path: at } : { port: at, host };
      socket.setNoDelay(true).connect(address, () => {
        socket.off('error', reject);
        resolve(new Connection(socket));
      });
    });
  }

  /** Whether the connection can be used again: the server has not closed it, and the last exchange left no bytes. */
  get reusable(): boolean {
    return !this.#ended && this.#unread.length === 0;
  }

  /** Sends one request and reads its answer. */
  async exchange(outgoing: Outgoing, deadlineMs = 15_000): Promise<Answer> {
    const received: Buffer[] = [];
    const interim: ResponseHead[] = [];
    const body: Buffer[] = [];
    const found: { head?: ResponseHead; problem?: string } = {};
    let wake: () => void = () => {};
    const started = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const parser = new ResponseParser(
      {
        interim: (head) => {
          interim.push(head);
          wake();
        },
        head: (head) => {
          found.head = head;
          wake();
        },
        body: (bytes) => body.push(bytes),
        end: () => {},
      },
      outgoing.method === 'HEAD',
    );
    const settled = new Promise<void>((resolve) => {
      const feed = (work: () => void): void => {
        try {
          work();
        } catch (error) {
          if (!(error instanceof ProtocolError)) throw error;
          found.problem = error.message;
        }
        if (parser.done || found.problem !== undefined) resolve();
      };
      this.#onData = (bytes) => {
        received.push(bytes);
        feed(() => parser.push(bytes));
      };
      void this.#end.then(() => {
        wake();
        if (!parser.done && found.problem === undefined) feed(() => parser.eof());
      });
      for (const bytes of this.#unread.splice(0)) this.#onData(bytes);
    });
    // An early answer that closes the connection means that the server does not want the rest of the body. After any
    // other early answer, the request must be completed.
    const unwanted = (): boolean => found.head !== undefined && announcesClose(found.head);
    const sent = this.#send(outgoing, started, () => found.head !== undefined, unwanted);
    const inTime = await within(Promise.all([settled, sent.catch(() => undefined)]), deadlineMs);
    this.#onData = undefined;
    if (this.#ended) this.#socket.end();
    if (parser.rest.length > 0) this.#unread.push(parser.rest);
    const all = Buffer.concat(received);
    if (!inTime) return { kind: 'late', afterMs: deadlineMs, received: all };
    if (found.problem !== undefined || !found.head) {
      if (all.length === 0) return { kind: 'silent' };
      return { kind: 'garbled', problem: found.problem ?? 'no head', received: all };
    }
    return { kind: 'response', response: { ...found.head, body: Buffer.concat(body), interim } };
  }

  /** Sends bytes without waiting. */
  write(bytes: Buffer | string): void {
    if (!this.#ended) this.#socket.write(bytes);
  }

  /** Ends the client's sending side, like a client that has no further requests. */
  halfClose(): void {
    this.#socket.end();
  }

  /** Returns whether the server closes the connection within this time. */
  closedWithin(ms: number): Promise<boolean> {
    return this.#ended ? Promise.resolve(true) : within(this.#end, ms);
  }

  /** Bytes that belong to no request. */
  get unread(): Buffer {
    return Buffer.concat(this.#unread);
  }

  close(): void {
    this.#socket.destroy();
  }

  async #send(
    outgoing: Outgoing,
    started: Promise<void>,
    answered: () => boolean,
    unwanted: () => boolean,
  ): Promise<void> {
    if (outgoing.awaitContinue) {
      await this.#writePiece(outgoing.head);
      await started;
      if (answered()) return;
      await this.#writeAll(outgoing.body, unwanted);
    } else {
      await this.#writeAll(Buffer.concat([outgoing.head, outgoing.body]), unwanted);
    }
  }

  async #writeAll(bytes: Buffer, unwanted: () => boolean): Promise<void> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      if (at > 0 && unwanted()) return;
      await this.#writePiece(bytes.subarray(at, at + PIECE_BYTES));
    }
  }

  #writePiece(bytes: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#ended) {
        resolve();
        return;
      }
      this.#socket.write(bytes, (error) => (error ? reject(error) : resolve()));
      void this.#end.then(resolve);
    });
  }
}

/** Returns whether an answer closes its connection (RFC 9112, section 9.6). */
export function announcesClose(head: ResponseHead): boolean {
  return headerValues(head.headers, 'connection').some((value) => value.toLowerCase() === 'close');
}

/** Returns whether a promise settles in time. */
export async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns a request as bytes, with exactly the given headers. */
export function compose(method: string, path: string, headers: readonly Header[], body: Buffer): Outgoing {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const expects = headers.some(
    ([name, value]) => name.toLowerCase() === 'expect' && /^100-continue$/i.test(value),
  );
  return {
    method,
    head: Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines}\r\n`),
    body,
    awaitContinue: expects && body.length > 0,
  };
}
