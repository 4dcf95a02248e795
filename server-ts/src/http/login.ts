/**
 * Issues and takes the login code, which opens one window instead of the token (rule SEC-09).
 *
 * Holds only its digest. Reads no clock: the caller passes the time.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { LIMITS } from '../contract.ts';
import { randomSecret } from '../secret.ts';

/** The code that was issued last and not taken. */
export class LoginCode {
  private issued: { readonly digest: Buffer; readonly expiryS: number } | undefined;

  /** Returns a new code; an earlier one is no longer valid. */
  issue(nowS: number): string {
    const code = randomSecret();
    this.issued = { digest: digest(code), expiryS: nowS + LIMITS.login_code_s };
    return code;
  }

  /** Returns whether a text is the code. The code is valid once. */
  take(text: string, nowS: number): boolean {
    const { issued } = this;
    if (issued === undefined || nowS >= issued.expiryS) return false;
    if (!timingSafeEqual(digest(text), issued.digest)) return false;
    this.issued = undefined;
    return true;
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
