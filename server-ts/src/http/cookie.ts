/**
 * Issues and checks the cookie that admits a browser instead of the token: `ingest_session_PORT=EXPIRY.MAC` (rule
 * SEC-07).
 *
 * Either server checks it without state. The name holds the port, because a browser sends the cookies of one port of
 * a host to all other ports. Reads no clock: the caller passes the time.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { LIMITS, VOCABULARY } from '../contract.ts';
import { trimBlank } from './head.ts';

const { cookie_name: NAME, cookie_attributes: ATTRIBUTES } = VOCABULARY.security;

/** Issues and checks cookies. Holds the token as a key, so that its text cannot be logged. */
export class CookieKey {
  private readonly key: KeyObject;

  constructor(token: string) {
    this.key = createSecretKey(Buffer.from(token));
  }

  /** Returns the value of `Set-Cookie` for a server on this port; times are Unix seconds. */
  issue(port: number, nowS: number): string {
    const name = cookieName(port);
    const expiry = String(nowS + LIMITS.session_cookie_s);
    const mac = this.mac(name, expiry);
    return `${name}=${expiry}.${mac}; ${ATTRIBUTES}; Max-Age=${LIMITS.session_cookie_s}`;
  }

  /** Returns whether a `Cookie` header holds the unexpired cookie of this port. */
  admits(cookies: string, port: number, nowS: number): boolean {
    const name = cookieName(port);
    return cookies.split(';').some((pair) => {
      const text = trimBlank(pair);
      return text.startsWith(`${name}=`) && this.isValid(name, text.slice(name.length + 1), nowS);
    });
  }

  private isValid(name: string, value: string, nowS: number): boolean {
    const parts = /^([0-9]{1,15})\.([0-9a-f]{64})$/.exec(value);
    if (parts === null || nowS >= Number(parts[1])) return false;
    return timingSafeEqual(Buffer.from(this.mac(name, parts[1]!)), Buffer.from(parts[2]!));
  }

  private mac(name: string, expiry: string): string {
    return createHmac('sha256', this.key).update(`${name}=${expiry}`).digest('hex');
  }
}

function cookieName(port: number): string {
  return `${NAME}_${port}`;
}
