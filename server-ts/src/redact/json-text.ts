/**
 * Replaces values of keys and matches of patterns inside a JSON text, and keeps every other byte (rules RED-03 and
 * RED-04).
 *
 * Pure. The bytes were scanned before, so they are valid JSON.
 */
import { LIMITS, VOCABULARY } from '../contract.ts';
import {
  BACKSLASH,
  COMMA,
  hasEscape,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  skipString,
  skipValue,
} from '../scanner.ts';
import { decodeString } from '../text.ts';
import type { Redaction } from './index.ts';

const MARK = VOCABULARY.redaction.text;
const MARK_BYTES = Buffer.from(MARK);
const VALUE_BYTES = Buffer.from(`"${MARK}"`);

/** Returns the JSON text from `start` up to `end` with its replacements; `undefined` when nothing changes. */
export function redactJson(
  redaction: Redaction,
  bytes: Buffer,
  start: number,
  end: number,
): Buffer | undefined {
  const walk = new Walk(redaction, bytes);
  walk.value(skipSpace(bytes, start));
  if (walk.edits.length === 0) return undefined;
  const parts: Buffer[] = [];
  let at = start;
  for (const edit of walk.edits) {
    parts.push(bytes.subarray(at, edit.start), edit.by);
    at = edit.end;
  }
  parts.push(bytes.subarray(at, end));
  return Buffer.concat(parts);
}

/** Bytes that a replacement replaces: a whole value, or a part of a string. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly by: Buffer;
}

class Walk {
  /** In the order of the text. */
  readonly edits: Edit[] = [];
  private readonly redaction: Redaction;
  private readonly bytes: Buffer;

  constructor(redaction: Redaction, bytes: Buffer) {
    this.redaction = redaction;
    this.bytes = bytes;
  }

  /** Visits the value at `start`; returns its end. */
  value(start: number): number {
    const { bytes } = this;
    if (bytes[start] === OPEN_OBJECT) return this.object(start);
    if (bytes[start] === OPEN_ARRAY) {
      let at = skipSpace(bytes, start + 1);
      while (bytes[at] !== 0x5d) at = this.afterComma(this.value(at));
      return at + 1;
    }
    const end = skipValue(bytes, start, LIMITS.json_depth);
    if (bytes[start] === QUOTE) this.string(start + 1, end - 1);
    return end;
  }

  private object(start: number): number {
    const { bytes } = this;
    let at = skipSpace(bytes, start + 1);
    while (bytes[at] === QUOTE) {
      const keyStart = at + 1;
      const keyEnd = skipString(bytes, keyStart);
      const valueStart = skipSpace(bytes, skipSpace(bytes, keyEnd) + 1);
      this.string(keyStart, keyEnd - 1);
      if (this.isKey(keyStart, keyEnd - 1)) {
        const end = skipValue(bytes, valueStart, LIMITS.json_depth);
        this.whole(valueStart, end);
        at = this.afterComma(end);
      } else {
        at = this.afterComma(this.value(valueStart));
      }
    }
    return at + 1;
  }

  /** Returns the position of the next member or item, or of the closing bracket. */
  private afterComma(end: number): number {
    const at = skipSpace(this.bytes, end);
    return this.bytes[at] === COMMA ? skipSpace(this.bytes, at + 1) : at;
  }

  /** Returns whether a member's name is a key of the file. */
  private isKey(start: number, end: number): boolean {
    const { keys } = this.redaction;
    // The bytes of a name with escapes are fewer than those of its token.
    if (end - start > keys.longest && !hasEscape(this.bytes, start, end)) return false;
    const name = decodeString(this.bytes, start, end);
    return name !== undefined && keys.has(name);
  }

  /** Replaces a whole value, unless it is the replacement already. */
  private whole(start: number, end: number): void {
    const isReplaced =
      end - start === VALUE_BYTES.length && VALUE_BYTES.compare(this.bytes, start, end) === 0;
    if (!isReplaced) this.edits.push({ start, end, by: VALUE_BYTES });
  }

  /** Replaces the matches of patterns in a string that lies, without its quotes, from `start` up to `end`. */
  private string(start: number, end: number): void {
    const { bytes, edits } = this;
    const { patterns } = this.redaction;
    // Most strings have no sign of a secret, so their escapes need not be resolved.
    if (!this.redaction.mayChange(bytes, start, end)) return;
    if (!hasEscape(bytes, start, end)) {
      for (const [from, to] of patterns.spans(bytes, start, end)) {
        edits.push({ start: from, end: to, by: MARK_BYTES });
      }
      return;
    }
    const { resolved, places } = resolve(bytes, start, end);
    for (const [from, to] of patterns.spans(resolved, 0, resolved.length)) {
      edits.push({ start: places[from]!, end: places[to]!, by: MARK_BYTES });
    }
  }
}

/**
 * Resolves the escapes of a token without its quotes. Returns one byte for each unit, and the place of each unit, the
 * end of the token included. A unit above ASCII becomes a byte that is in no class.
 */
function resolve(bytes: Buffer, start: number, end: number): { resolved: Buffer; places: Uint32Array } {
  const resolved = Buffer.alloc(end - start);
  const places = new Uint32Array(end - start + 1);
  let count = 0;
  let at = start;
  while (at < end) {
    places[count] = at;
    const byte = bytes[at]!;
    if (byte !== BACKSLASH) {
      resolved[count++] = byte;
      at++;
    } else if (bytes[at + 1] !== LETTER_U) {
      resolved[count++] = meaningOf(bytes[at + 1]!);
      at += 2;
    } else {
      resolved[count++] = asciiOf(bytes.toString('latin1', at + 2, at + 6));
      at += 6;
    }
  }
  places[count] = end;
  return { resolved: resolved.subarray(0, count), places };
}

const LETTER_U = 0x75;
/** A byte that is in no class and in no prefix. */
const OTHER = 0xff;

/** Returns the ASCII character of four hexadecimal digits, or `OTHER`. */
function asciiOf(digits: string): number {
  const code = Number.parseInt(digits, 16);
  return code < 0x80 ? code : OTHER;
}

/** Returns the character of an escape; a control character is in no class. */
function meaningOf(character: number): number {
  return 'bfnrt'.includes(String.fromCharCode(character)) ? OTHER : character;
}
