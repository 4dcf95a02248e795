/**
 * Scans bytes by the grammar of RFC 8259, without a tree of values.
 *
 * Pure. It never copies and never decodes. The caller has checked that the bytes are UTF-8.
 */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const INVALID = -1;

/** 1 for the bytes that end the plain run of a string: the quote, the backslash, control characters. */
const STRING_STOP = table((byte) => byte === QUOTE || byte === BACKSLASH || byte < 0x20);
const IS_SPACE = table((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d);
const IS_DIGIT = table((byte) => byte >= 0x30 && byte <= 0x39);
const IS_HEX = table((byte) => /[0-9a-fA-F]/.test(String.fromCharCode(byte)));
const IS_ESCAPE = table((byte) => '"\\/bfnrt'.includes(String.fromCharCode(byte)));

const [TRUE, FALSE, NULL] = [Buffer.from('true'), Buffer.from('false'), Buffer.from('null')];

/** Returns the end of the value that starts here; `depth` more levels are allowed. */
export function skipValue(bytes: Buffer, start: number, depth: number): number {
  switch (bytes[start]) {
    case QUOTE:
      return skipString(bytes, start + 1);
    case OPEN_OBJECT:
      return skipObject(bytes, start, depth);
    case OPEN_ARRAY:
      return skipArray(bytes, start, depth);
    case 0x74:
      return skipWord(bytes, start, TRUE);
    case 0x66:
      return skipWord(bytes, start, FALSE);
    case 0x6e:
      return skipWord(bytes, start, NULL);
    default:
      return skipNumber(bytes, start);
  }
}

function skipObject(bytes: Buffer, start: number, depth: number): number {
  if (depth === 0) return INVALID;
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === CLOSE_OBJECT) return at + 1;
  for (;;) {
    if (bytes[at] !== QUOTE) return INVALID;
    at = skipString(bytes, at + 1);
    if (at === INVALID) return INVALID;
    at = skipSpace(bytes, at);
    if (bytes[at] !== COLON) return INVALID;
    at = skipValue(bytes, skipSpace(bytes, at + 1), depth - 1);
    if (at === INVALID) return INVALID;
    at = skipSpace(bytes, at);
    const next = bytes[at];
    if (next === CLOSE_OBJECT) return at + 1;
    if (next !== COMMA) return INVALID;
    at = skipSpace(bytes, at + 1);
  }
}

function skipArray(bytes: Buffer, start: number, depth: number): number {
  if (depth === 0) return INVALID;
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === CLOSE_ARRAY) return at + 1;
  for (;;) {
    at = skipValue(bytes, at, depth - 1);
    if (at === INVALID) return INVALID;
    at = skipSpace(bytes, at);
    const next = bytes[at];
    if (next === CLOSE_ARRAY) return at + 1;
    if (next !== COMMA) return INVALID;
    at = skipSpace(bytes, at + 1);
  }
}

/** Returns the end of the array that starts here; `skip` skips each item. `depth` more levels are allowed. */
export function skipItems(bytes: Buffer, start: number, depth: number, skip: (at: number) => number): number {
  if (depth === 0) return INVALID;
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === CLOSE_ARRAY) return at + 1;
  for (;;) {
    at = skip(at);
    if (at === INVALID) return INVALID;
    at = skipSpace(bytes, at);
    if (bytes[at] === CLOSE_ARRAY) return at + 1;
    if (bytes[at] !== COMMA) return INVALID;
    at = skipSpace(bytes, at + 1);
  }
}

/** Returns the position after the closing quote of a string; `start` is the position after its opening quote. */
export function skipString(bytes: Buffer, start: number): number {
  const end = bytes.length;
  let at = start;
  for (;;) {
    while (at < end && STRING_STOP[bytes[at]!] === 0) at++;
    if (at >= end) return INVALID;
    const stop = bytes[at]!;
    if (stop === QUOTE) return at + 1;
    if (stop !== BACKSLASH || at + 1 >= end) return INVALID;
    const escaped = bytes[at + 1]!;
    if (escaped !== 0x75) {
      if (IS_ESCAPE[escaped] === 0) return INVALID;
      at += 2;
    } else {
      if (at + 6 > end) return INVALID;
      for (let digit = at + 2; digit < at + 6; digit++) if (IS_HEX[bytes[digit]!] === 0) return INVALID;
      at += 6;
    }
  }
}

function skipNumber(bytes: Buffer, start: number): number {
  const end = bytes.length;
  let at = start;
  if (bytes[at] === 0x2d) at++;
  const lead = at;
  at = skipDigits(bytes, at, end);
  // There is no digit, or a zero before another digit.
  if (at === lead || (bytes[lead] === 0x30 && at > lead + 1)) return INVALID;
  if (at < end && bytes[at] === 0x2e) {
    const fraction = at + 1;
    at = skipDigits(bytes, fraction, end);
    if (at === fraction) return INVALID;
  }
  if (at < end && (bytes[at]! | 0x20) === 0x65) {
    at++;
    if (bytes[at] === 0x2b || bytes[at] === 0x2d) at++;
    const exponent = at;
    at = skipDigits(bytes, exponent, end);
    if (at === exponent) return INVALID;
  }
  return at;
}

function skipDigits(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && IS_DIGIT[bytes[at]!] === 1) at++;
  return at;
}

function skipWord(bytes: Buffer, start: number, word: Buffer): number {
  for (let at = 0; at < word.length; at++) if (bytes[start + at] !== word[at]) return INVALID;
  return start + word.length;
}

export function skipSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && IS_SPACE[bytes[at]!] === 1) at++;
  return at;
}

/** Returns whether there is a backslash from `start` up to `end`. */
export function hasEscape(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === BACKSLASH) return true;
  return false;
}

function table(matches: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (matches(byte) ? 1 : 0));
}
