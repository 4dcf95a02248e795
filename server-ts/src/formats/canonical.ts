/**
 * Writes a value as its canonical JSON text (rule FMT-05; RFC 8785, section 3.2.3).
 *
 * Pure. It writes straight from checked MessagePack, since JavaScript values would take a hundred times the memory of
 * the body. Invariant: the check of a body bounds the nesting depth, so the writer may recurse.
 */
import { printNumber } from '../number.ts';
import { SHAPE, shapeAt, Walker } from './msgpack-walker.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
/**
 * Number of positions per member in the list of members. They are start and end of its name in the source, and of the
 * member in the text.
 */
const MEMBER_WIDTH = 4;
/**
 * Lead bytes of UTF-8. In UTF-16 the characters from U+E000 to U+FFFF sort after the characters above U+FFFF, which
 * are surrogates.
 */
const HIGH_LEAD = 0xee;
const ASTRAL_LEAD = 0xf0;

/** The escapes of JSON.stringify, by byte. */
const ESCAPES: readonly (Buffer | undefined)[] = Array.from({ length: 256 }, (_, byte) => {
  const isEscaped = byte < 0x20 || byte === QUOTE || byte === BACKSLASH;
  return isEscaped ? Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1)) : undefined;
});

/**
 * Returns the text of the value at `start`. With `isReadAgain`, only the scanner reads the text again (rule RPC-04), so
 * -0 and the order of members stay. Sorting millions of members takes several times the memory of the body.
 */
export function canonicalJson(bytes: Buffer, start: number, isReadAgain = false): Buffer {
  const writer = new Writer(bytes, start, isReadAgain);
  writer.value();
  return writer.text();
}

class Writer {
  private readonly bytes: Buffer;
  private readonly walker: Walker;
  private readonly isReadAgain: boolean;
  private out = Buffer.allocUnsafe(1024);
  private length = 0;
  /** The members of all open maps, the innermost last. */
  private members = new Int32Array(MEMBER_WIDTH * 16);
  private memberCount = 0;

  constructor(bytes: Buffer, start: number, isReadAgain: boolean) {
    this.bytes = bytes;
    this.isReadAgain = isReadAgain;
    this.walker = new Walker(bytes);
    this.walker.at = start;
  }

  text(): Buffer {
    return this.out.subarray(0, this.length);
  }

  value(): void {
    const { walker } = this;
    switch (shapeAt(this.bytes, walker.at)) {
      case SHAPE.text:
        walker.skipValue(0);
        this.string(walker.textStart, walker.at);
        break;
      case SHAPE.array:
        this.array();
        break;
      case SHAPE.map:
        this.map();
        break;
      default: {
        const start = walker.at;
        walker.skipValue(0);
        const isMinusZero = this.isReadAgain && isMinusZeroAt(this.bytes, start);
        this.ascii(isMinusZero ? '-0' : scalarJson(this.bytes, start));
      }
    }
  }

  private array(): void {
    const count = this.walker.container(0);
    this.byte(0x5b);
    for (let at = 0; at < count; at++) {
      if (at > 0) this.byte(COMMA);
      this.value();
    }
    this.byte(0x5d);
  }

  private map(): void {
    const { walker } = this;
    const count = walker.container(0);
    const first = this.memberCount;
    const opening = this.length;
    this.byte(0x7b);
    for (let at = 0; at < count; at++) {
      if (at > 0) this.byte(COMMA);
      walker.key();
      const [nameStart, nameEnd, start] = [walker.textStart, walker.at, this.length];
      this.string(nameStart, nameEnd);
      this.byte(COLON);
      this.value();
      if (!this.isReadAgain) this.member(nameStart, nameEnd, start);
    }
    this.byte(0x7d);
    if (!this.isOrdered(first)) this.order(first, opening);
    this.memberCount = first;
  }

  /** Records a member that ends here. */
  private member(nameStart: number, nameEnd: number, start: number): void {
    const at = this.memberCount++ * MEMBER_WIDTH;
    if (at === this.members.length) {
      const larger = new Int32Array(this.members.length * 2);
      larger.set(this.members);
      this.members = larger;
    }
    this.members[at] = nameStart;
    this.members[at + 1] = nameEnd;
    this.members[at + 2] = start;
    this.members[at + 3] = this.length;
  }

  /** Returns whether the names of the members from `first` on ascend strictly. */
  private isOrdered(first: number): boolean {
    for (let at = first + 1; at < this.memberCount; at++) if (this.compare(at - 1, at) >= 0) return false;
    return true;
  }

  /** Sorts the members from `first` on, whose object starts at `opening`. Of equal names the last stays. */
  private order(first: number, opening: number): void {
    const { members, memberCount } = this;
    const list = Uint32Array.from({ length: memberCount - first }, (_, at) => first + at);
    // Members with the same name keep their order.
    list.sort((one, other) => this.compare(one, other) || one - other);
    const ordered = Buffer.allocUnsafe(this.length - opening);
    let end = 0;
    for (let at = 0; at < list.length; at++) {
      const member = list[at]!;
      if (at + 1 < list.length && this.compare(member, list[at + 1]!) === 0) continue;
      ordered[end] = end === 0 ? 0x7b : COMMA;
      const [start, stop] = [members[member * MEMBER_WIDTH + 2]!, members[member * MEMBER_WIDTH + 3]!];
      end += 1 + this.out.copy(ordered, end + 1, start, stop);
    }
    ordered[end++] = 0x7d;
    ordered.copy(this.out, opening, 0, end);
    this.length = opening + end;
  }

  /** Compares the names of two members by UTF-16 code units. */
  private compare(one: number, other: number): number {
    const { bytes, members } = this;
    const [start, end] = [members[one * MEMBER_WIDTH]!, members[one * MEMBER_WIDTH + 1]!];
    const [otherStart, otherEnd] = [members[other * MEMBER_WIDTH]!, members[other * MEMBER_WIDTH + 1]!];
    const shorter = Math.min(end - start, otherEnd - otherStart);
    for (let at = 0; at < shorter; at++) {
      const [left, right] = [bytes[start + at]!, bytes[otherStart + at]!];
      if (left === right) continue;
      const isMixed = left >= HIGH_LEAD && right >= HIGH_LEAD && left < ASTRAL_LEAD !== right < ASTRAL_LEAD;
      return isMixed ? right - left : left - right;
    }
    return end - start - (otherEnd - otherStart);
  }

  private string(from: number, to: number): void {
    this.reserve(to - from + 2);
    const { bytes } = this;
    let { out, length: end } = this;
    out[end++] = QUOTE;
    for (let at = from; at < to; at++) {
      const byte = bytes[at]!;
      const escaped = ESCAPES[byte];
      if (escaped === undefined) {
        out[end++] = byte;
        continue;
      }
      this.length = end;
      this.reserve(escaped.length + to - at + 1);
      out = this.out;
      end += escaped.copy(out, end);
    }
    out[end++] = QUOTE;
    this.length = end;
  }

  private ascii(text: string): void {
    this.reserve(text.length);
    const { out } = this;
    let end = this.length;
    for (let at = 0; at < text.length; at++) out[end++] = text.charCodeAt(at);
    this.length = end;
  }

  private byte(byte: number): void {
    this.reserve(1);
    this.out[this.length++] = byte;
  }

  private reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.out.length) return;
    const larger = Buffer.allocUnsafe(needed * 2);
    this.out.copy(larger, 0, 0, this.length);
    this.out = larger;
  }
}

function isMinusZeroAt(bytes: Buffer, at: number): boolean {
  if (bytes[at] === 0xca) return Object.is(bytes.readFloatBE(at + 1), -0);
  return bytes[at] === 0xcb && Object.is(bytes.readDoubleBE(at + 1), -0);
}

/** Returns the text of a value that is neither text nor a container. */
function scalarJson(bytes: Buffer, at: number): string {
  const first = bytes[at]!;
  if (first < 0x80) return String(first);
  if (first >= 0xe0) return String(first - 0x100);
  const start = at + 1;
  switch (first) {
    case 0xc2:
      return 'false';
    case 0xc3:
      return 'true';
    case 0xca:
      return printNumber(bytes.readFloatBE(start));
    case 0xcb:
      return printNumber(bytes.readDoubleBE(start));
    case 0xcc:
    case 0xcd:
    case 0xce:
      return String(bytes.readUIntBE(start, 1 << (first - 0xcc)));
    case 0xcf:
      return bytes.readBigUInt64BE(start).toString();
    case 0xd0:
    case 0xd1:
    case 0xd2:
      return String(bytes.readIntBE(start, 1 << (first - 0xd0)));
    case 0xd3:
      return bytes.readBigInt64BE(start).toString();
    default:
      return 'null';
  }
}
