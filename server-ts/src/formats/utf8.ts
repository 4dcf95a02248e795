/**
 * Checks whether bytes are UTF-8 (RFC 3629).
 *
 * Pure. For a short text the call into native code costs more than the check, and a body may have millions of them.
 */
import { isUtf8 } from 'node:buffer';

/** Bytes of the longest text that this module checks itself. Native code checks longer texts. */
const SHORT_TEXT = 48;

/** Returns whether the bytes from `start` up to `end` are UTF-8. */
export function isUtf8Range(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > SHORT_TEXT) return isUtf8(bytes.subarray(start, end));
  let at = start;
  while (at < end) {
    const lead = bytes[at]!;
    if (lead < 0x80) {
      at++;
      continue;
    }
    const more = lead < 0xc2 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : 0;
    if (more === 0 || at + more >= end) return false;
    const second = bytes[at + 1]!;
    // Overlong forms, surrogates, and values above U+10FFFF are not UTF-8.
    if (second < leastSecond(lead) || second > mostSecond(lead)) return false;
    for (let next = at + 2; next <= at + more; next++) if (bytes[next]! >> 6 !== 2) return false;
    at += more + 1;
  }
  return true;
}

function leastSecond(lead: number): number {
  if (lead === 0xe0) return 0xa0;
  return lead === 0xf0 ? 0x90 : 0x80;
}

function mostSecond(lead: number): number {
  if (lead === 0xed) return 0x9f;
  return lead === 0xf4 ? 0x8f : 0xbf;
}
