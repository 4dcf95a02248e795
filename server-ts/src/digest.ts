/** Writes a SHA-256 as text: in lower-case hexadecimal for names, in base64 for `Content-Digest`. Pure. */

/** The SHA-256 of some bytes. */
export type Digest = Uint8Array;

/** Its name: 64 lower-case hexadecimal digits. */
export function digestHex(digest: Digest): string {
  return Buffer.from(digest).toString('hex');
}

/** The digest of a name; nothing for any other text. */
export function parseDigest(text: string): Digest | undefined {
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/** Its base64 with padding (RFC 4648, section 4). */
export function digestBase64(digest: Digest): string {
  return Buffer.from(digest).toString('base64');
}
