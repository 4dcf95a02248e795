/**
 * Writes the values of attributes as JSON text (rule OTL-04).
 *
 * Pure. Text is escaped as `JSON.stringify` does, so that both encodings of a value give the same text.
 */
import { printNumber } from '../number.ts';
import { isWellFormed } from '../text.ts';

const MOST_INT64 = 2n ** 63n - 1n;
const MOST_UINT64 = 2n ** 64n - 1n;
/** A text that is an integer of 64 bits, or too large. */
const DIGITS = /^-?[0-9]{1,20}$/;

/** The JSON text of a text; nothing where it is not well-formed. */
export function textJson(text: string): string | undefined {
  return isWellFormed(text) ? JSON.stringify(text) : undefined;
}

/** The JSON text of a double; `null` where it is not finite. */
export function doubleJson(value: number): string {
  return Number.isFinite(value) ? printNumber(value) : 'null';
}

/** The decimal digits of an integer of 64 bits in its JSON; nothing where it is none. */
export function int64Json(value: unknown): string | undefined {
  const integer = integerOf(value);
  const isRight = integer !== undefined && integer <= MOST_INT64 && integer >= -MOST_INT64 - 1n;
  return isRight ? String(integer) : undefined;
}

/** The decimal digits of a time, of a number those of its double; nothing where it is none, or 0. */
export function timeText(value: unknown): string | undefined {
  const integer = Number.isInteger(value) ? BigInt(value as number) : integerOf(value);
  return integer !== undefined && integer > 0n && integer <= MOST_UINT64 ? String(integer) : undefined;
}

/** An id in lower case; nothing where it has another length or is zero. */
export function idText(hex: unknown, bytes: number): string | undefined {
  if (typeof hex !== 'string' || hex.length !== 2 * bytes || !/^[0-9a-fA-F]+$/.test(hex)) return undefined;
  return /^0+$/.test(hex) ? undefined : hex.toLowerCase();
}

/** JSON texts as an array; nothing where one is absent. */
export function arrayJson(items: readonly (string | undefined)[]): string | undefined {
  return items.includes(undefined) ? undefined : `[${items.join(',')}]`;
}

/** JSON texts by their keys as an object. */
export function objectJson(members: ReadonlyMap<string, string>): string {
  return `{${Array.from(members, ([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
}

/** The text that a JSON text is or stands for: that of a string, else the JSON itself. */
export function plainText(json: string): string {
  return stringOf(json) ?? json;
}

/** The text of a JSON text that is a string. */
export function stringOf(json: string | undefined): string | undefined {
  return json?.startsWith('"') ? (JSON.parse(json) as string) : undefined;
}

/** A number is an integer where no other has the same double. */
function integerOf(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && DIGITS.test(value) ? BigInt(value) : undefined;
}
