/**
 * Checks the name and the media type of an attachment, and writes both for an answer (rules ATT-02, ATT-03 and ATT-07).
 *
 * Pure.
 */
import { fill, LIMITS, VOCABULARY } from '../contract.ts';
import { Failure } from '../error.ts';
import { byteLength, percentDecode } from '../text.ts';
import type { Head } from './head.ts';
import { invalid } from './parameters.ts';

/** Matches slashes, backslashes and control characters. */
const FORBIDDEN = /[/\\\p{Cc}]/u;

/** Decodes the name of an attachment from a path, once. */
export function attachmentName(encoded: string): string {
  const limit = LIMITS.attachment_name_bytes;
  const name = percentDecode(encoded, false) ?? '';
  const isName = name !== '' && name !== '.' && name !== '..' && !FORBIDDEN.test(name);
  if (isName && byteLength(name) <= limit) return name;
  throw invalid('name', fill(VOCABULARY.parameter_messages.file_name, { limit }));
}

/** The default media type of an attachment. */
const ANY_BYTES = 'application/octet-stream';

/** Matches `type/subtype` (RFC 9110, section 8.3.1). */
const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+$/;

/** Returns the media type of a body, in lower case and without parameters. */
export function mediaType({ headers }: Pick<Head, 'headers'>): string {
  const values = headers.get('content-type') ?? [ANY_BYTES];
  const essence = values.length === 1 ? /^[ \t]*([^;]*?)[ \t]*(?:;|$)/.exec(values[0]!)?.[1] : undefined;
  const type = essence?.toLowerCase();
  if (type !== undefined && MEDIA_TYPE.test(type) && type.length <= LIMITS.media_type_bytes) return type;
  throw new Failure('unsupported_media_type', { supported: ['*/*'] });
}

/** Returns the `Content-Disposition` of an attachment (RFC 6266 and RFC 8187). */
export function disposition(name: string, type: string): string {
  const kind = VOCABULARY.inline_media_types.includes(type) ? 'inline' : 'attachment';
  const plain = name.replace(/[^ -~]|["%\\]/gu, '_');
  const value = `${kind}; filename="${plain}"`;
  return plain === name ? value : `${value}; filename*=UTF-8''${encoded(name)}`;
}

/** Returns a name with its attr-chars unchanged and any other byte percent-encoded (RFC 8187, section 3.2.1). */
function encoded(name: string): string {
  const isOther = /[^A-Za-z0-9!#$&+\-.^_`|~]/g;
  return Buffer.from(name)
    .toString('latin1')
    .replace(isOther, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
