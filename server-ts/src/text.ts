/**
 * Handles text as the contract defines: well-formed Unicode without U+0000, trimmed the ECMAScript way.
 *
 * Pure. Knows nothing of events or of HTTP.
 */
import { LIMITS } from './contract.ts';

const BACKSLASH = 0x5c;

/** Removes ECMAScript white space and line terminators from both ends (ECMA-262, `String.prototype.trim`). */
export function trimText(text: string): string {
  return text.trim();
}

/**
 * Decodes a scanned JSON string token that lies, without its quotes, from `start` up to `end`. Returns `undefined`
 * for U+0000 or a lone surrogate (rule EVT-12).
 */
export function decodeString(bytes: Buffer, start: number, end: number): string | undefined {
  const text = decodeToken(bytes, start, end);
  return isWellFormed(text) ? text : undefined;
}

/** Decodes any token, even if its text is not well-formed. The result suffices to compare keys. */
export function decodeToken(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString('utf8', start, end);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}

/**
 * Returns whether a string token without its quotes has no escapes and nothing to trim: its ends are visible ASCII.
 */
export function isPlain(bytes: Buffer, start: number, end: number): boolean {
  if (start === end) return false;
  const first = bytes[start]!;
  const last = bytes[end - 1]!;
  if (first <= 0x20 || first >= 0x7f || last <= 0x20 || last >= 0x7f) return false;
  for (let at = start; at < end; at++) if (bytes[at] === BACKSLASH) return false;
  return true;
}

export function isWellFormed(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Matches slashes, backslashes and control characters. */
const FORBIDDEN = /[/\\\p{Cc}]/u;

/** Returns whether a text can name an attachment (rule ATT-02). */
export function isAttachmentName(text: string): boolean {
  const isName = text !== '' && text !== '.' && text !== '..' && !FORBIDDEN.test(text) && isWellFormed(text);
  return isName && byteLength(text) <= LIMITS.attachment_name_bytes;
}

/** Matches `type/subtype` in lower case (RFC 9110, section 8.3.1). */
const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+$/;

/** Returns whether a text is a media type as attachments have it (rule ATT-03). */
export function isMediaType(text: string): boolean {
  return MEDIA_TYPE.test(text) && text.length <= LIMITS.media_type_bytes;
}

/**
 * Resolves percent-encoding once (RFC 3986, section 2.1). Returns `undefined` when it is malformed or not UTF-8. In a
 * query `+` is a space (WHATWG URL, `application/x-www-form-urlencoded`).
 */
export function percentDecode(text: string, plusIsSpace: boolean): string | undefined {
  const spaced = plusIsSpace ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}

/** Returns a text with its ASCII letters in lower case. */
export function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Returns the length in UTF-8 bytes. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
