/** Reads `Content-Digest` (rule ATT-05; RFC 9530). Pure. */
import { type Digest, digestBase64 } from '../digest.ts';
import { Failure } from '../error.ts';
import type { Head } from './head.ts';

/** Matches `algorithm=:BASE64:` (RFC 8941, sections 3.2 and 3.3.5). */
const MEMBER =
  /^[ \t]*([a-z*][a-z0-9_.*-]*)=:((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?):[ \t]*$/;

/** Returns the declared SHA-256 of a body, in base64; `undefined` when the header is absent. */
export function declaredDigest({ headers }: Pick<Head, 'headers'>): string | undefined {
  let declared: string | undefined;
  for (const member of (headers.get('content-digest') ?? []).flatMap((value) => value.split(','))) {
    const found = MEMBER.exec(member);
    if (found === null) throw new Failure('bad_request');
    // Of equal keys the last counts (RFC 8941, section 3.2).
    if (found[1] === 'sha-256') declared = found[2];
  }
  return declared;
}

/** Throws when the bytes do not have the declared digest. */
export function checkDigest(declared: string | undefined, digest: Digest): void {
  if (declared !== undefined && declared !== digestBase64(digest)) throw new Failure('digest_mismatch');
}
