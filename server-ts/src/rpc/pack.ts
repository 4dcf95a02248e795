/**
 * Writes JSON text as MessagePack (rule RPC-04): every value in its shortest form, members in their order.
 *
 * Pure. It makes two passes over the text, since a MessagePack container states its number of elements before the
 * first one. Invariant: the text is JSON that this server has written or checked.
 */
import { roomFor } from '../buffers.ts';
import { BACKSLASH, hasEscape, QUOTE, skipSpace } from '../scanner.ts';

const [FIX_MAP, FIX_ARRAY, FIX_TEXT] = [0x80, 0x90, 0xa0];
const [NIL, FALSE, TRUE] = [0xc0, 0xc2, 0xc3];
const [FLOAT64, UINT8, INT8] = [0xcb, 0xcc, 0xd0];
const [TEXT8, ARRAY16, MAP16] = [0xd9, 0xdc, 0xde];
const FIRST_BYTES = 256;

/** Converts a JSON text. */
export function packJson(text: Buffer): Buffer<ArrayBuffer> {
  const packer = new Packer(text.length);
  packInto(packer, text);
  return packer.finish();
}

/** Appends a JSON text. */
export function packInto(packer: Packer, text: Buffer): void {
  const counts = countElements(text);
  let container = 0;
  for (let at = 0; at < text.length; ) {
    const start = at++;
    switch (text[start]) {
      case 0x7b:
        packer.head(FIX_MAP, MAP16, counts[container++]!);
        break;
      case 0x5b:
        packer.head(FIX_ARRAY, ARRAY16, counts[container++]!);
        break;
      case QUOTE:
        at = endOfString(text, at);
        packer.text(text, start + 1, at - 1);
        break;
      case 0x74:
        packer.byte(TRUE);
        at = start + 'true'.length;
        break;
      case 0x66:
        packer.byte(FALSE);
        at = start + 'false'.length;
        break;
      case 0x6e:
        packer.byte(NIL);
        at = start + 'null'.length;
        break;
      default:
        if (isNumber(text[start]!)) {
          while (at < text.length && isNumber(text[at]!)) at++;
          packer.number(Number(text.toString('latin1', start, at)));
        }
    }
  }
}

/** Returns the number of elements or members of each container, in the order in which they start. */
function countElements(text: Buffer): number[] {
  const counts: number[] = [];
  const open: number[] = [];
  for (let at = 0; at < text.length; ) {
    switch (text[at++]) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case 0x7b:
      case 0x5b: {
        const first = text[skipSpace(text, at)];
        open.push(counts.length);
        counts.push(first === 0x7d || first === 0x5d ? 0 : 1);
        break;
      }
      case 0x7d:
      case 0x5d:
        open.pop();
        break;
      case 0x2c:
        counts[open.at(-1)!]!++;
        break;
    }
  }
  return counts;
}

/** Returns the position after the closing quote of a string whose first character is at this position. */
function endOfString(text: Buffer, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

/** Returns whether a byte can be part of a number. */
function isNumber(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x2e ||
    (byte | 0x20) === 0x65
  );
}

/** Collects packed values. */
export class Packer {
  private bytes: Buffer<ArrayBuffer>;
  private length = 0;

  constructor(expected: number) {
    this.bytes = Buffer.allocUnsafeSlow(roomFor(expected + FIRST_BYTES));
  }

  /** Returns the bytes in memory of their own. */
  finish(): Buffer<ArrayBuffer> {
    return this.bytes.subarray(0, this.length);
  }

  /** Appends what is packed already. */
  raw(packed: Uint8Array): void {
    this.reserve(packed.length);
    this.bytes.set(packed, this.length);
    this.length += packed.length;
  }

  array(count: number): void {
    this.head(FIX_ARRAY, ARRAY16, count);
  }

  map(count: number): void {
    this.head(FIX_MAP, MAP16, count);
  }

  byte(byte: number): void {
    this.reserve(1);
    this.bytes[this.length++] = byte;
  }

  /** Writes the header of a container. */
  head(fix: number, marker16: number, count: number): void {
    this.reserve(5);
    if (count < 16) this.bytes[this.length++] = fix | count;
    else if (count < 1 << 16) this.unsigned(marker16, 2, count);
    else this.unsigned(marker16 + 1, 4, count);
  }

  /** Appends the escaped text from `start` up to `end`. A lone surrogate becomes U+FFFD. */
  text(source: Buffer, start: number, end: number): void {
    if (!hasEscape(source, start, end)) {
      this.textHead(end - start);
      this.length += source.copy(this.bytes, this.length, start, end);
      return;
    }
    const text = JSON.parse(source.toString('utf8', start - 1, end + 1)) as string;
    this.textHead(Buffer.byteLength(text));
    this.length += this.bytes.write(text, this.length);
  }

  number(value: number): void {
    this.reserve(9);
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) {
      this.bytes[this.length] = FLOAT64;
      this.bytes.writeDoubleBE(value, this.length + 1);
      this.length += 9;
    } else if (value >= 0) {
      if (value < 0x80) this.bytes[this.length++] = value;
      else if (value < 1 << 8) this.unsigned(UINT8, 1, value);
      else if (value < 1 << 16) this.unsigned(UINT8 + 1, 2, value);
      else if (value < 2 ** 32) this.unsigned(UINT8 + 2, 4, value);
      else this.long(UINT8 + 3, value);
    } else if (value >= -0x20) this.bytes[this.length++] = value & 0xff;
    else if (value >= -0x80) this.unsigned(INT8, 1, value & 0xff);
    else if (value >= -0x8000) this.unsigned(INT8 + 1, 2, value & 0xffff);
    else if (value >= -(2 ** 31)) this.unsigned(INT8 + 2, 4, value >>> 0);
    else this.long(INT8 + 3, value);
  }

  private textHead(length: number): void {
    this.reserve(length + 5);
    if (length < 32) this.bytes[this.length++] = FIX_TEXT | length;
    else if (length < 1 << 8) this.unsigned(TEXT8, 1, length);
    else if (length < 1 << 16) this.unsigned(TEXT8 + 1, 2, length);
    else this.unsigned(TEXT8 + 2, 4, length);
  }

  /** Writes a marker and a number of this width in bytes. */
  private unsigned(marker: number, width: number, value: number): void {
    this.bytes[this.length++] = marker;
    this.length = this.bytes.writeUIntBE(value, this.length, width);
  }

  private long(marker: number, value: number): void {
    this.bytes[this.length++] = marker;
    this.length = this.bytes.writeBigUInt64BE(BigInt.asUintN(64, BigInt(value)), this.length);
  }

  private reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(needed * 2);
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}
