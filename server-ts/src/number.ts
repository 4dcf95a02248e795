/**
 * Reads and prints numbers as the contract defines: the nearest IEEE 754 double of their text, printed the ECMAScript
 * way.
 *
 * Pure. Amounts of money are whole nano-dollars, so that sums do not depend on their order (rule EVT-07).
 */
import { LIMITS } from './contract.ts';

/** Number of digits up to which every step of the sum below is exact. */
const EXACT_DIGITS = 15;

/** Returns the value of a scanned JSON number token (rule EVT-11); a value that is too large becomes infinite. */
export function parseNumber(bytes: Buffer, start: number, end: number): number {
  if (end - start <= EXACT_DIGITS) {
    let value = 0;
    let at = start;
    while (at < end) {
      const digit = bytes[at]! - 0x30;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      at++;
    }
    if (at === end) return value;
  }
  return Number(bytes.toString('latin1', start, end));
}

/** Parses a whole number from 0 to 2^53-1 in any spelling; -0 is 0. Returns NaN for any other number. */
export function parseInteger(bytes: Buffer, start: number, end: number): number {
  const value = parseNumber(bytes, start, end);
  return value >= 0 && value <= LIMITS.max_integer && Number.isInteger(value) ? value + 0 : Number.NaN;
}

/** Returns nano-dollars: the IEEE product with 10^9, rounded half to even. `usd` is from 0 to a million. */
export function nanosFromUsd(usd: number): number {
  const product = usd * 1e9;
  const whole = Math.floor(product);
  const rest = product - whole;
  if (rest < 0.5) return whole + 0;
  if (rest > 0.5) return whole + 1;
  return whole % 2 === 0 ? whole : whole + 1;
}

/** Prints a number the ECMAScript way (ECMA-262, `Number::toString`); -0 is `0`. */
export function printNumber(value: number): string {
  return String(value);
}
