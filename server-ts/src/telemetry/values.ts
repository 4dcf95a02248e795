/**
 * Writes the values of attributes as JSON text (rule OTL-04).
 *
 * Pure. Text is escaped as `JSON.stringify` does, so that both encodings of a value yield the same text.
 */
import { printNumber } from '../number.ts';
import { isWellFormed } from '../text.ts';

const MOST_INT64 = 2n ** 63n - 1n;
const MOST_UINT64 = 2n ** 64n - 1n;
/** Matches a 64-bit integer, or a larger one. */
const DIGITS = /^-?[0-9]{1,20}$/;

/** Returns the JSON text of a string; `undefined` when it is not well-formed. */
export function textJson(text: string): string | undefined {
  return isWellFormed(text) ? JSON.stringify(text) : undefined;
}

/** Returns the JSON text of a double; `null` when it is not finite. */
export function doubleJson(value: number): string {
  return Number.isFinite(value) ? printNumber(value) : 'null';
}

/** Returns the decimal digits of a 64-bit integer in its JSON form; `undefined` for any other value. */
export function int64Json(value: unknown): string | undefined {
  const integer = integerOf(value);
  const isRight = integer !== undefined && integer <= MOST_INT64 && integer >= -MOST_INT64 - 1n;
  return isRight ? String(integer) : undefined;
}

/** Returns the decimal digits of a time, for a number those of its double; `undefined` for 0 and any other value. */
export function timeText(value: unknown): string | undefined {
  const integer = Number.isInteger(value) ? BigInt(value as number) : integerOf(value);
  return integer !== undefined && integer > 0n && integer <= MOST_UINT64 ? String(integer) : undefined;
}

/** Returns an id in lower case; `undefined` for another length or all zeros. */
export function idText(hex: unknown, bytes: number): string | undefined {
  if (typeof hex !== 'string' || hex.length !== 2 * bytes || !/^[0-9a-fA-F]+$/.test(hex)) return undefined;
  return /^0+$/.test(hex) ? undefined : hex.toLowerCase();
}

/** Returns JSON texts as an array; `undefined` when one is absent. */
export function arrayJson(items: readonly (string | undefined)[]): string | undefined {
  return items.includes(undefined) ? undefined : `[${items.join(',')}]`;
}

/** Returns JSON texts by their keys as an object. */
export function objectJson(members: ReadonlyMap<string, string>): string {
  return `{${Array.from(members, ([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
}

/** Returns the value of a JSON text; an integer that no double has exactly as a bigint. */
export function valueIn(json: string): unknown {
  const value: unknown = JSON.parse(json);
  return typeof value === 'number' &&
    Number.isInteger(value) &&
    !Number.isSafeInteger(value) &&
    DIGITS.test(json)
    ? BigInt(json)
    : value;
}

/** Returns the contents of a JSON string. */
export function stringOf(json: string | undefined): string | undefined {
  return json?.startsWith('"') ? (JSON.parse(json) as string) : undefined;
}

/** Returns an exact integer. A number is exact only if no other integer has the same double. */
function integerOf(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && DIGITS.test(value) ? BigInt(value) : undefined;
}
