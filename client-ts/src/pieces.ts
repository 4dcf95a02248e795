/** Helpers of the binary formats: joining bytes, and checking text for UTF-8. */
import type { Piece } from './format.ts';

/** Returns all bytes in one array. */
export function joined(pieces: readonly (Piece | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const parts = pieces as readonly Uint8Array[];
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Throws for a lone surrogate, which an encoder would replace by another character. */
export function checkText(name: string, text: string): void {
  if (/\p{Surrogate}/u.test(text)) throw new TypeError(`${name}: must be well-formed text`);
}
