/** Encodes a SHA-256 as text: lower-case hexadecimal for names, base64 for `Content-Digest`. Pure. */

/** A SHA-256 digest. */
export type Digest = Uint8Array;

/** Encodes a digest as a name: 64 lower-case hexadecimal digits. */
export function digestHex(digest: Digest): string {
  return Buffer.from(digest).toString('hex');
}

/** Decodes the digest of a name; `undefined` for any other text. */
export function parseDigest(text: string): Digest | undefined {
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/** Encodes a digest in base64 with padding (RFC 4648, section 4). */
export function digestBase64(digest: Digest): string {
  return Buffer.from(digest).toString('base64');
}
