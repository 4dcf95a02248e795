/**
 * The arguments of calls: values of each type, and sequences of them, as native-calls made them.
 *
 * Invariants: the same PRNG seed gives the same values. Numbers are random, booleans are true. Strings have 100
 * characters: either all strings are the same, or they are random and half of the characters are ASCII.
 */
import { type Random, seededRandom } from '@twin-ingest/testkit/random.ts';

export const SCALAR_TYPES = ['long', 'double', 'boolean', 'DOMString', 'dict', 'nestedDict'] as const;
export type TypeName = (typeof SCALAR_TYPES)[number];
/** The types of the original benchmark. */
export const ORIGINAL_TYPES = ['long', 'double', 'DOMString', 'dict', 'nestedDict'] as const;
/** The types that hold text. */
export const TEXT_TYPES = ['DOMString', 'dict', 'nestedDict'] as const;

export type Strings = 'identical' | 'random';

export interface Subject {
  readonly type: TypeName;
  /** Length of the sequence; `null` for one value. */
  readonly length: number | null;
  /** Has no effect on types without text. */
  readonly strings: Strings;
}

export const STRING_CHARACTERS = 100;
/** The first 100 characters of the text that the original sends. */
export const LOREM =
  'Lorem ipsum dolor sit amet, consectetur adipiscing elit. Nulla quis tincidunt nisi, vitae pulvinar t';

/** Letters of Latin with marks, Greek, Cyrillic, Devanagari, Chinese and emoji: two to four bytes each in UTF-8. */
const SCRIPTS: readonly string[][] = [
  'àéîõüßñç',
  'αβγδεζηθ',
  'бгджзийл',
  'कखगघचछजझ',
  '的一是不了人我在',
  '😀🚀🎉🔧',
].map((letters) => [...letters]);
const FIRST_PRINTABLE = 0x20;
const PRINTABLE = 0x7f - FIRST_PRINTABLE;
/** Number of different random strings. A sequence draws from them. */
const POOL = 4096;
const TWO_32 = 2 ** 32;
const TWO_31 = 2 ** 31;

/** Returns the method's name in the group `echo`, as in the caller of client-ts. */
export function nameOf({ type, length }: Subject): string {
  return length === null ? type : `${type}s`;
}

export function argumentOf({ type, length, strings }: Subject, seed: number): unknown {
  const random = seededRandom(seed);
  const text = strings === 'identical' ? () => LOREM : drawnFrom(random);
  const next = makers(random, text)[type];
  return length === null ? next() : Array.from({ length }, next);
}

/** Returns the body of one call, as the client sends it. */
export function callOf(subject: Subject, argument: unknown): object {
  return { jsonrpc: '2.0', method: `echo.${nameOf(subject)}`, params: [argument], id: 1 };
}

export function responseOf(argument: unknown): object {
  return { jsonrpc: '2.0', result: argument, id: 1 };
}

function makers(random: Random, text: () => string): Readonly<Record<TypeName, () => unknown>> {
  // One draw has 32 bits, and a double has more, so two draws are added.
  const double = () => random.next() * TWO_32 - TWO_31 + random.next();
  const dict = () => ({ str: text(), d: double(), b: true });
  return {
    long: () => Math.floor(random.next() * TWO_32) - TWO_31,
    double,
    boolean: () => true,
    DOMString: text,
    dict,
    nestedDict: () => ({ topStr: text(), topD: double(), topB: true, nested: dict() }),
  };
}

function drawnFrom(random: Random): () => string {
  const pool = Array.from({ length: POOL }, () => randomText(random));
  return () => random.pick(pool);
}

/** Returns 100 characters, of which 50 are ASCII. The others are of one script. */
function randomText(random: Random): string {
  const letters = random.pick(SCRIPTS);
  return Array.from({ length: STRING_CHARACTERS }, (_, i) =>
    i % 2 === 0 ? String.fromCharCode(FIRST_PRINTABLE + random.below(PRINTABLE)) : random.pick(letters),
  ).join('');
}
