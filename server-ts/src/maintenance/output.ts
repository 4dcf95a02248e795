/**
 * Writes lines to standard output and reads lines from standard input, in the order of the calls.
 *
 * Only server-ts has this file: Rust's standard library does the same.
 */
import { Buffer } from 'node:buffer';
import { readSync, writeSync } from 'node:fs';
import type { Form } from './dump.ts';
import { CommandFailure } from './failure.ts';

/** Number of bytes of one write or read. */
const PIECE = 1 << 16;
/** Milliseconds between two attempts while a pipe is full or empty. */
const PAUSE_MS = 2;

/** Standard output. */
export class Output {
  /** Number of lines so far. */
  count = 0;
  private text = '';
  private readonly form: Form;

  constructor(form: Form) {
    this.form = form;
  }

  line(line: string): void {
    this.count++;
    this.text += `${this.form(line)}\n`;
    if (this.text.length >= PIECE) this.flush();
  }

  /** Writes an object as a line. */
  object(line: object): void {
    this.line(JSON.stringify(line));
  }

  flush(): void {
    const bytes = Buffer.from(this.text);
    this.text = '';
    for (let at = 0; at < bytes.length; ) at += patiently(() => writeSync(1, bytes, at));
  }
}

/** Returns the lines of standard input as bytes, without their line feed, which the last one may lack. */
export function* inputLines(): Generator<Buffer> {
  const pieces: Buffer[] = [];
  for (;;) {
    const piece = Buffer.allocUnsafe(PIECE);
    const length = patiently(() => readSync(0, piece));
    if (length === 0) break;
    let from = 0;
    for (let end = piece.indexOf(10); end !== -1 && end < length; end = piece.indexOf(10, from)) {
      pieces.push(piece.subarray(from, end));
      yield Buffer.concat(pieces);
      pieces.length = 0;
      from = end + 1;
    }
    if (from < length) pieces.push(piece.subarray(from, length));
  }
  if (pieces.length > 0) yield Buffer.concat(pieces);
}

/** Repeats a call on a pipe that its other side made non-blocking. */
function patiently(call: () => number): number {
  for (;;) {
    try {
      return call();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // The end of a pipe on some systems.
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw CommandFailure.output(error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
