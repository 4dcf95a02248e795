/**
 * Writes the values of a binary format as JSON tokens of a new body, each with its span (decision 53).
 *
 * Invariant: only metadata tokens are scanned again. A text keeps its bytes between its quotes, even where JSON needs
 * an escape. Exceptions are characters that `text` would read as an escape or refuse.
 */
import type { Buffers } from '../buffers.ts';
import { LIMITS } from '../contract.ts';
import { NOT_JSON, type RawEvents } from '../event.ts';
import { FIELD, type FieldSpec } from '../field.ts';
import { BACKSLASH, INVALID, OPEN_ARRAY, OPEN_OBJECT, QUOTE, skipSpace, skipValue } from '../scanner.ts';

/**
 * Every body starts with two bytes: the start of an object and of another value. Spans that carry only a kind refer
 * to them.
 */
const OBJECT = 0;
const NO_OBJECT = 1;
const FIRST = 2;
/** Nesting depth that metadata may have: its event is one container around it. */
const METADATA_DEPTH = LIMITS.json_depth - 1;
/** Bytes of the longest text that this module copies itself. Native code copies longer texts. */
const SHORT_TEXT = 48;
/** Largest number of UTF-8 bytes of a UTF-16 code unit. */
const MOST_BYTES = 3;
const SPARE_BYTES = 1024;

/** A body in construction, token by token, and the spans of its tokens in `raw`. */
export class Tokens {
  private readonly buffers: Buffers;
  private readonly raw: RawEvents;
  private body: Buffer;
  private length = FIRST;
  /** Position of the current event. */
  private item = 0;

  /** Creates an empty body with room for about this many bytes. */
  constructor(buffers: Buffers, raw: RawEvents, bytes: number) {
    this.buffers = buffers;
    this.raw = raw;
    this.body = Buffer.from(buffers.take(bytes + SPARE_BYTES));
    this.body[OBJECT] = OPEN_OBJECT;
    this.body[NO_OBJECT] = OPEN_ARRAY;
  }

  /** Starts the next event. */
  event(isObject: boolean): void {
    this.item = this.raw.add();
    this.raw.spans[this.item] = isObject ? OBJECT : NO_OBJECT;
  }

  /** Marks a field as absent, even where it had a value before. */
  absent(field: FieldSpec): void {
    this.span(field, 0, 0);
  }

  /** Writes a value that is neither text nor a number. */
  other(field: FieldSpec): void {
    this.span(field, NO_OBJECT, NO_OBJECT + 1);
  }

  /** Writes a text. */
  text(field: FieldSpec, text: string): void {
    const start = this.reserve(text.length * MOST_BYTES + 2);
    const { body } = this;
    let at = start;
    body[at++] = QUOTE;
    const isShort = text.length <= SHORT_TEXT;
    if (isShort) {
      for (let index = 0; index < text.length; index++) {
        const code = text.charCodeAt(index);
        if (code >= 0x80 || isSpecial(code)) break;
        body[at++] = code;
      }
    }
    if (!isShort || at !== start + 1 + text.length) {
      if (text.includes('\\') || text.includes('\0')) {
        this.escaped(field, text);
        return;
      }
      at = start + 1 + body.write(text, start + 1);
    }
    body[at++] = QUOTE;
    this.span(field, start, at);
  }

  /** Writes a text whose UTF-8 lies from `from` up to `to`. */
  textOf(field: FieldSpec, bytes: Buffer, from: number, to: number): void {
    const start = this.reserve(to - from + 2);
    const { body } = this;
    let at = start;
    body[at++] = QUOTE;
    for (let next = from; next < to; next++) {
      const byte = bytes[next]!;
      if (isSpecial(byte)) {
        this.escaped(field, bytes.toString('utf8', from, to));
        return;
      }
      body[at++] = byte;
    }
    body[at++] = QUOTE;
    this.span(field, start, at);
  }

  /** Writes a whole number; as text where a double cannot hold it. */
  integer(field: FieldSpec, value: number | string): void {
    const start = this.reserve(LONGEST_NUMBER);
    const { body } = this;
    if (typeof value === 'number' && value >= 0 && value < MOST_DIGITS) {
      let at = start + digitsOf(value);
      const end = at;
      let rest = value;
      do {
        body[--at] = 0x30 + (rest % 10);
        rest = Math.floor(rest / 10);
      } while (rest > 0);
      this.span(field, start, end);
    } else {
      this.span(field, start, start + body.write(String(value), start, 'latin1'));
    }
  }

  /**
   * Writes a number as ECMAScript prints it. Infinity becomes a number above every double, and NaN becomes a
   * non-number, so that both get the problem of their field (rule FMT-07).
   */
  number(field: FieldSpec, value: number): void {
    if (Number.isInteger(value)) {
      this.integer(field, value);
      return;
    }
    if (Number.isNaN(value)) {
      this.other(field);
      return;
    }
    const text = Number.isFinite(value) ? String(value) : value > 0 ? '1e999' : '-1e999';
    const start = this.reserve(LONGEST_NUMBER);
    this.span(field, start, start + this.body.write(text, start, 'latin1'));
  }

  /**
   * Writes metadata that was sent as JSON text from `from` up to `to`, without the white space around it (rule
   * FMT-05).
   */
  metadata(bytes: Buffer, from: number, to: number): void {
    const start = this.reserve(to - from);
    this.scanned(start, start + bytes.copy(this.body, start, from, to));
  }

  /** Marks metadata that is not JSON text. */
  notJson(): void {
    this.span(FIELD.metadata, NOT_JSON, 0);
  }

  /** Writes metadata that is known to be JSON text. */
  canonical(json: Buffer): void {
    const start = this.reserve(json.length);
    this.span(FIELD.metadata, start, start + json.copy(this.body, start));
  }

  /** Returns the body. */
  finish(): Buffer {
    return Buffer.from(this.body.buffer, 0, this.length);
  }

  private scanned(from: number, to: number): void {
    const bytes = this.body.subarray(0, to);
    const start = skipSpace(bytes, from);
    if (start === to) {
      this.absent(FIELD.metadata);
      return;
    }
    const end = skipValue(bytes, start, METADATA_DEPTH);
    if (end === INVALID || skipSpace(bytes, end) !== to) this.notJson();
    else this.span(FIELD.metadata, start, end);
  }

  private escaped(field: FieldSpec, text: string): void {
    const json = JSON.stringify(text);
    const start = this.reserve(json.length * MOST_BYTES);
    this.span(field, start, start + this.body.write(json, start));
  }

  /** Records the span of a field's token; the next token starts after it. */
  private span(field: FieldSpec, start: number, end: number): void {
    const { spans } = this.raw;
    const slot = this.item + field.span;
    spans[slot] = start;
    spans[slot + 1] = end;
    if (end > this.length) this.length = end;
  }

  /** Reserves this many bytes; returns their position. */
  private reserve(bytes: number): number {
    const needed = this.length + bytes;
    if (needed > this.body.length) {
      const larger = Buffer.from(this.buffers.take(needed * 2));
      this.body.copy(larger, 0, 0, this.length);
      this.buffers.give(this.body.buffer);
      this.body = larger;
    }
    return this.length;
  }
}

/** Number of bytes that suffices for 2^64 with a sign, and for the longest double that ECMAScript prints. */
const LONGEST_NUMBER = 32;
/** Bound below which numbers are written digit by digit. */
const MOST_DIGITS = 1e9;

function digitsOf(value: number): number {
  let digits = 1;
  for (let bound = 10; value >= bound; bound *= 10) digits++;
  return digits;
}

/** Returns whether `text` would read a character as an escape, or refuse it (U+0000). */
function isSpecial(code: number): boolean {
  return code === BACKSLASH || code === 0;
}
