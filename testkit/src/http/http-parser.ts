/**
 * Reads one HTTP/1.1 answer from bytes as they arrive (RFC 9112, sections 4, 6 and 7).
 *
 * The tests examine the servers' exact bytes: header order, repeated names, interim answers and bytes after the end.
 * Client libraries hide these. Invariant: nothing is repaired. Bytes that are not an answer are a `ProtocolError`.
 */

export type Header = readonly [name: string, value: string];

export interface ResponseHead {
  readonly version: string;
  readonly status: number;
  readonly reason: string;
  /** In the order and spelling of the wire. */
  readonly headers: readonly Header[];
}

/** The bytes are not an HTTP/1.x answer, or end in the middle of one. */
export class ProtocolError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProtocolError';
  }
}

export interface ResponseSink {
  /** Reports a 1xx answer other than 101. */
  interim(head: ResponseHead): void;
  head(head: ResponseHead): void;
  body(bytes: Buffer): void;
  end(): void;
}

type State = 'head' | 'length' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers' | 'until-close' | 'done';

/** Returns all values of a header. `name` is in lower case; the names of the answer may have any case. */
export function headerValues(headers: readonly Header[], name: string): string[] {
  return headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
}

export class ResponseParser {
  #state: State = 'head';
  #pending: Buffer = Buffer.alloc(0);
  #left = 0;
  readonly #sink: ResponseSink;
  readonly #bodiless: boolean;

  /** `bodiless`: the request was a HEAD, whose answer has no body regardless of its headers. */
  constructor(sink: ResponseSink, bodiless: boolean) {
    this.#sink = sink;
    this.#bodiless = bodiless;
  }

  get done(): boolean {
    return this.#state === 'done';
  }

  /** Bytes after the end of the answer. */
  get rest(): Buffer {
    return this.done ? this.#pending : Buffer.alloc(0);
  }

  push(bytes: Buffer): void {
    this.#pending = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    while (this.#step()) {
      // Each step takes one piece of the pending bytes.
    }
  }

  /** Processes the end of the peer's side. */
  eof(): void {
    if (this.#state === 'until-close') this.#finish();
    else if (this.#state !== 'done') throw new ProtocolError(`the connection ended in state ${this.#state}`);
  }

  #step(): boolean {
    switch (this.#state) {
      case 'head':
        return this.#readHead();
      case 'length':
      case 'chunk':
        return this.#readCounted();
      case 'chunk-size':
        return this.#readChunkSize();
      case 'chunk-end':
        return this.#readChunkEnd();
      case 'trailers':
        return this.#readTrailers();
      case 'until-close':
        if (this.#pending.length > 0) this.#sink.body(this.#take(this.#pending.length));
        return false;
      case 'done':
        return false;
    }
  }

  #readHead(): boolean {
    const end = this.#pending.indexOf('\r\n\r\n');
    if (end < 0) {
      const start = this.#pending.subarray(0, 5).toString('latin1');
      if (start !== 'HTTP/'.slice(0, start.length))
        throw new ProtocolError(`no answer: ${preview(this.#pending)}`);
      return false;
    }
    const head = parseHead(
      this.#take(end + 4)
        .subarray(0, end)
        .toString('latin1'),
    );
    if (head.status >= 100 && head.status < 200 && head.status !== 101) {
      this.#sink.interim(head);
      return true;
    }
    this.#sink.head(head);
    this.#chooseFraming(head);
    return true;
  }

  #chooseFraming(head: ResponseHead): void {
    const coding = headerValues(head.headers, 'transfer-encoding');
    const lengths = headerValues(head.headers, 'content-length');
    if (coding.length > 0 && lengths.length > 0)
      throw new ProtocolError('both content-length and transfer-encoding');
    if (this.#bodiless || head.status === 204 || head.status === 304) {
      this.#finish();
    } else if (coding.length > 0) {
      if (coding.length > 1 || coding[0] !== 'chunked')
        throw new ProtocolError(`transfer-encoding ${coding}`);
      this.#state = 'chunk-size';
    } else if (lengths.length > 0) {
      if (lengths.length > 1 || !/^\d+$/.test(lengths[0]!))
        throw new ProtocolError(`content-length ${lengths}`);
      this.#left = Number(lengths[0]);
      if (this.#left === 0) this.#finish();
      else this.#state = 'length';
    } else {
      this.#state = 'until-close';
    }
  }

  #readCounted(): boolean {
    if (this.#pending.length === 0) return false;
    const bytes = this.#take(Math.min(this.#left, this.#pending.length));
    this.#left -= bytes.length;
    this.#sink.body(bytes);
    if (this.#left > 0) return false;
    if (this.#state === 'length') this.#finish();
    else this.#state = 'chunk-end';
    return true;
  }

  #readChunkSize(): boolean {
    const line = this.#line();
    if (line === undefined) return false;
    if (!/^[0-9a-f]+$/i.test(line)) throw new ProtocolError(`chunk size ${JSON.stringify(line)}`);
    this.#left = Number.parseInt(line, 16);
    this.#state = this.#left === 0 ? 'trailers' : 'chunk';
    return true;
  }

  #readChunkEnd(): boolean {
    const line = this.#line();
    if (line === undefined) return false;
    if (line !== '') throw new ProtocolError('a chunk is longer than its size');
    this.#state = 'chunk-size';
    return true;
  }

  #readTrailers(): boolean {
    const line = this.#line();
    if (line === undefined) return false;
    if (line !== '') throw new ProtocolError(`trailer ${JSON.stringify(line)}`);
    this.#finish();
    return true;
  }

  #line(): string | undefined {
    const end = this.#pending.indexOf('\r\n');
    return end < 0
      ? undefined
      : this.#take(end + 2)
          .subarray(0, end)
          .toString('latin1');
  }

  #take(count: number): Buffer {
    const bytes = this.#pending.subarray(0, count);
    this.#pending = this.#pending.subarray(count);
    return bytes;
  }

  #finish(): void {
    this.#state = 'done';
    this.#sink.end();
  }
}

function parseHead(text: string): ResponseHead {
  const [first = '', ...lines] = text.split('\r\n');
  const start = /^HTTP\/(1\.[01]) (\d{3})(?: (.*))?$/.exec(first);
  if (!start) throw new ProtocolError(`status line ${JSON.stringify(first)}`);
  const headers = lines.map((line): Header => {
    const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line);
    if (!field) throw new ProtocolError(`header line ${JSON.stringify(line)}`);
    return [field[1]!, field[2]!];
  });
  return { version: start[1]!, status: Number(start[2]), reason: start[3] ?? '', headers };
}

function preview(bytes: Buffer): string {
  return JSON.stringify(bytes.subarray(0, 60).toString('latin1'));
}
