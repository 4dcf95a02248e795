/**
 * Extracts from long arguments a text with only the members that their types know, for `JSON.parse` (rule RPC-03).
 *
 * V8 takes at least 50 bytes for a container of two bytes, so a text of millions of containers is never parsed. Pure.
 * Invariant: an extract is no longer than its text, and has the same value or the same first problem.
 */
import { roomFor } from '../buffers.ts';
import { LIMITS, PARAMETERS } from '../contract.ts';
import { keyIs, visitMembers } from '../json.ts';
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  skipItems,
  skipValue,
} from '../scanner.ts';
import type { Parameter, Type } from './schema.ts';

/**
 * Number of bytes above which a text is decoded into V8's own memory, since the C library keeps freed blocks of this
 * size.
 */
const LONG_TEXT = 1 << 23;
/** The byte that replaces items above the limit. */
const ANY_ITEM = 0x30;

/** A known member with its printed name. */
interface Known {
  readonly key: Buffer;
  readonly printed: Buffer;
  readonly type: Type;
}

const KNOWN = new WeakMap<Type, readonly Known[]>();

/** Extracts the known members from the scanned array of arguments from `start` up to `end`. */
export function extractArguments(
  bytes: Buffer,
  start: number,
  end: number,
  parameters: readonly Parameter[],
): string {
  const extract = new Extract(bytes, end - start);
  extract.items(start, parameters.length, (index) => parameters[index]!.type);
  return extract.finish();
}

class Extract {
  private readonly bytes: Buffer;
  private readonly out: Buffer<ArrayBuffer>;
  private length = 0;

  constructor(bytes: Buffer, most: number) {
    this.bytes = bytes;
    // Unused pages cost nothing.
    this.out = Buffer.allocUnsafeSlow(roomFor(most));
  }

  /** Returns the text and frees its bytes. */
  finish(): string {
    const { out, length } = this;
    const text =
      length > LONG_TEXT
        ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(out.subarray(0, length))
        : out.toString('utf8', 0, length);
    out.buffer.transfer(0);
    return text;
  }

  /**
   * Extracts at most `most` items of the array that starts here, and one more if there are more; returns the array's
   * end.
   */
  items(start: number, most: number, typeAt: (index: number) => Type): number {
    let count = 0;
    this.byte(OPEN_ARRAY);
    const end = skipItems(this.bytes, start, LIMITS.json_depth, (at) => {
      if (count > most) return this.skip(at);
      if (count > 0) this.byte(COMMA);
      if (count++ < most) return this.value(at, typeAt(count - 1));
      this.byte(ANY_ITEM);
      return this.skip(at);
    });
    this.byte(CLOSE_ARRAY);
    return end;
  }

  /** Extracts the known part of the value that starts here; returns its end. */
  private value(start: number, type: Type): number {
    const first = this.bytes[start];
    if (first === OPEN_ARRAY && type.kind === 'sequence') {
      return this.items(start, LIMITS.rpc_sequence_items, () => type.item);
    }
    if (first === OPEN_OBJECT && (type.kind === 'dictionary' || type.kind === 'options')) {
      return this.members(start, type);
    }
    const end = this.skip(start);
    // The kind of container decides whether the type is wrong; its contents do not matter.
    if (type.kind !== 'any' && (first === OPEN_ARRAY || first === OPEN_OBJECT)) {
      this.byte(first);
      this.byte(first === OPEN_ARRAY ? CLOSE_ARRAY : CLOSE_OBJECT);
    } else {
      this.copy(start, end);
    }
    return end;
  }

  /** Extracts the known members of the object that starts here, the last of equal keys; returns the object's end. */
  private members(start: number, type: Type): number {
    const { bytes } = this;
    const known = knownOf(type);
    const places = new Array<number>(known.length).fill(0);
    const end = visitMembers(bytes, start, (key, keyEnd, value) => {
      const index = known.findIndex((member) => keyIs(bytes, key, keyEnd, member.key));
      if (index >= 0) places[index] = value;
    });
    let before = OPEN_OBJECT;
    for (let index = 0; index < places.length; index++) {
      const at = places[index]!;
      if (at === 0) continue;
      this.byte(before);
      this.length += known[index]!.printed.copy(this.out, this.length);
      this.value(at, known[index]!.type);
      before = COMMA;
    }
    if (before === OPEN_OBJECT) this.byte(before);
    this.byte(CLOSE_OBJECT);
    return end;
  }

  private skip(at: number): number {
    return skipValue(this.bytes, at, LIMITS.json_depth);
  }

  private copy(start: number, end: number): void {
    this.length += this.bytes.copy(this.out, this.length, start, end);
  }

  private byte(byte: number): void {
    this.out[this.length++] = byte;
  }
}

/** Returns the members that a type knows. Each option is a value without members. */
function knownOf(type: Type): readonly Known[] {
  let known = KNOWN.get(type);
  if (known === undefined) {
    known = membersOf(type).map(({ name, type: member }) => {
      return { key: Buffer.from(name), printed: Buffer.from(`"${name}":`), type: member };
    });
    KNOWN.set(type, known);
  }
  return known;
}

function membersOf(type: Type): readonly { readonly name: string; readonly type: Type }[] {
  if (type.kind === 'dictionary') return type.members;
  if (type.kind !== 'options') return [];
  return type.route.parameters.map((key) => ({ name: PARAMETERS[key].name, type: { kind: 'string' } }));
}
