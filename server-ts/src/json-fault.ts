/**
 * Finds the line on which a text stops being JSON, for files that people write.
 *
 * Pure. Knows nothing of the content. A token that is cut off, or that may not be at its place, is the fault.
 */
import { LIMITS } from './contract.ts';
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  INVALID,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  skipValue,
} from './scanner.ts';

/** What may be at a position. */
type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end';

/** Returns the number of the line, from 1 on, with the first token that makes a text no JSON. */
export function faultLine(text: string): number {
  const bytes = Buffer.from(text);
  const open: number[] = [];
  let expected: Expected | undefined = 'value';
  let at = 0;
  for (;;) {
    at = skipSpace(bytes, at);
    if (at === bytes.length) break;
    const token = bytes[at]!;
    const isValue = expected === 'value' || expected === 'value or end';
    const isContainer = token === OPEN_OBJECT || token === OPEN_ARRAY;
    const isKey: boolean = token === QUOTE && (expected === 'key' || expected === 'key or end');
    let next = at + 1;
    if (isContainer && isValue && open.length < LIMITS.json_depth) {
      open.push(token === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY);
      expected = token === OPEN_OBJECT ? 'key or end' : 'value or end';
    } else if ((token === CLOSE_OBJECT || token === CLOSE_ARRAY) && open.at(-1) === token && ends(expected)) {
      open.pop();
      expected = 'comma or end';
    } else if (token === COMMA && expected === 'comma or end' && open.length > 0) {
      expected = open.at(-1) === CLOSE_OBJECT ? 'key' : 'value';
    } else if (token === COLON && expected === 'colon') {
      expected = 'value';
    } else if (!isContainer && (isKey || isValue)) {
      next = skipValue(bytes, at, 0);
      if (next === INVALID) break;
      expected = isKey ? 'colon' : 'comma or end';
    } else {
      break;
    }
    at = next;
  }
  return 1 + bytes.subarray(0, at).filter((byte) => byte === 0x0a).length;
}

/** Returns whether a container may end here. */
function ends(expected: Expected): boolean {
  return expected === 'comma or end' || expected === 'key or end' || expected === 'value or end';
}
