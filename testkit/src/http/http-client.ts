/**
 * A raw HTTP/1.1 client: sends any bytes, and says all that came back.
 *
 * Why not a library: the cases send what no library agrees to send, and must see header order, repeated
 * names, interim answers and who closed the connection.
 * What must stay true: an answer is never lost. A server may answer and close while the body is still being
 * sent; the write then fails (EPIPE, ECONNRESET) while the answer waits in the receive buffer, so a failed
 * write does not end the reading.
 * Knows nothing of cases or targets.
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
  /** 1xx answers that came before. */
  readonly interim: readonly ResponseHead[];
}

/** How an exchange ended. `silent`: closed without one byte. `garbled`: bytes that are no answer. */
export type Answer =
  | { readonly kind: 'response'; readonly response: Response }
  | { readonly kind: 'silent' }
  | { readonly kind: 'garbled'; readonly problem: string; readonly received: Buffer }
  | { readonly kind: 'late'; readonly afterMs: number; readonly received: Buffer };

export interface Outgoing {
  readonly method: string;
  readonly head: Buffer;
  readonly body: Buffer;
  /** Hold the body back until a 100 came (`Expect: 100-continue`). */
  readonly awaitContinue: boolean;
}

/** Small enough that an early answer is seen before the next piece is written. */
const PIECE_BYTES = 65_536;

/** A socket that goes on reading after a write failed: the stream above it never hears of the failure. */
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
      // What is under way may still be sending; an idle connection ends when the server ends it, as clients do.
      if (!this.#onData) socket.end();
      this.#resolveEnd();
    };
    // A reset is an end as well; which of the two it was is not observable through every kernel.
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

  /** The server has not closed it, and nothing is left over from the last exchange. */
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
    // An early answer that closes says that the rest is not wanted; any other leaves the request to be finished.
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

  /** Sends bytes without waiting for anything. */
  write(bytes: Buffer | string): void {
    if (!this.#ended) this.#socket.write(bytes);
  }

  /** Ends our side, as a client that has said everything. */
  halfClose(): void {
    this.#socket.end();
  }

  /** Whether the server ends the connection within this time. */
  closedWithin(ms: number): Promise<boolean> {
    return this.#ended ? Promise.resolve(true) : within(this.#end, ms);
  }

  /** Bytes that nobody asked for. */
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

/** Whether an answer says that its connection ends with it (RFC 9112, section 9.6). */
export function announcesClose(head: ResponseHead): boolean {
  return headerValues(head.headers, 'connection').some((value) => value.toLowerCase() === 'close');
}

/** Whether a promise settles in time. */
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

/** A request as bytes, with exactly the headers given. */
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
