/** Reads an answer in NDJSON or Arrow while it arrives (rule FMT-09), and can pause or disconnect. */
import http from 'node:http';
import { type Format, mediaTypeOf } from '@twin-ingest/testkit/codecs/format.ts';

const LINE_FEED = 0x0a;

export class ExportReader {
  readonly status: number;
  /** Whether the body arrived completely. Resolves when the response is closed. */
  readonly isWhole: Promise<boolean>;
  /** Resolves with the first bytes of the body. */
  readonly begun: Promise<void>;
  bytes = 0;
  lines = 0;
  #last: Buffer = Buffer.alloc(0);
  readonly #kept: Buffer[] = [];
  readonly #response: http.IncomingMessage;

  private constructor(response: http.IncomingMessage, keeps: boolean) {
    this.#response = response;
    this.status = response.statusCode!;
    response.on('data', (bytes: Buffer) => {
      this.bytes += bytes.length;
      if (keeps) this.#kept.push(bytes);
      else this.#count(bytes);
    });
    this.begun = new Promise((resolve) => response.once('data', () => resolve()));
    this.isWhole = new Promise((resolve) => {
      // A connection that ends before the body causes an error, and then a close.
      response.on('error', () => {}).once('close', () => resolve(response.complete));
    });
  }

  /** Resolves with the head of the answer. `keeps`: the body is kept, and its lines are not counted. */
  static open(port: number, path: string, format: Format, keeps = false): Promise<ExportReader> {
    return new Promise((resolve, reject) => {
      const headers = { accept: mediaTypeOf(format) };
      const request = http.get({ port, path, headers, agent: false, host: '127.0.0.1' });
      request.once('error', reject);
      request.once('response', (response) => {
        request.off('error', reject).on('error', () => {});
        resolve(new ExportReader(response, keeps));
      });
    });
  }

  /** Pauses until `resume`. */
  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  /** Closes the connection. */
  cut(): void {
    this.#response.destroy();
  }

  /** Returns the received body, if it is kept. */
  body(): Buffer {
    return Buffer.concat(this.#kept);
  }

  /** Returns the last complete line. */
  lastLine(): string {
    return this.#last.toString().trimEnd().split('\n').at(-1)!;
  }

  #count(bytes: Buffer): void {
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) this.lines++;
    // A row may be split over two pieces.
    this.#last = bytes.length < TAIL_BYTES ? Buffer.concat([this.#last, bytes]) : bytes;
    this.#last = this.#last.subarray(-TAIL_BYTES);
  }
}

/** Number of bytes to keep. The last line is shorter. */
const TAIL_BYTES = 16 << 10;
