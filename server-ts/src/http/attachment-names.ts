/**
 * Checks the name and the media type of an attachment, and writes both for an answer (rules ATT-02, ATT-03 and ATT-07).
 *
 * Pure.
 */
import { fill, LIMITS, VOCABULARY } from '../contract.ts';
import { Failure } from '../error.ts';
import { isAttachmentName, isMediaType, percentDecode } from '../text.ts';
import type { Head } from './head.ts';
import { invalid } from './parameters.ts';

/** Decodes the name of an attachment from a path, once. */
export function attachmentName(encoded: string): string {
  const limit = LIMITS.attachment_name_bytes;
  const name = percentDecode(encoded, false) ?? '';
  if (isAttachmentName(name)) return name;
  throw invalid('name', fill(VOCABULARY.parameter_messages.file_name, { limit }));
}

/** The default media type of an attachment. */
const ANY_BYTES = 'application/octet-stream';

/** Returns the media type of a body, in lower case and without parameters. */
export function mediaType({ headers }: Pick<Head, 'headers'>): string {
  const values = headers.get('content-type') ?? [ANY_BYTES];
  const essence = values.length === 1 ? /^[ \t]*([^;]*?)[ \t]*(?:;|$)/.exec(values[0]!)?.[1] : undefined;
  const type = essence?.toLowerCase();
  if (type !== undefined && isMediaType(type)) return type;
  throw new Failure('unsupported_media_type', { supported: ['*/*'] });
}

const INLINE: readonly string[] = VOCABULARY.inline_media_types;

/** Returns the `Content-Disposition` of an attachment (RFC 6266 and RFC 8187). */
export function disposition(name: string, type: string): string {
  const kind = INLINE.includes(type) ? 'inline' : 'attachment';
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
