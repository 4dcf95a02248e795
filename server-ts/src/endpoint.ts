/**
 * The receiver of notifications: its URL, and the key that signs for it (rules NOT-01 and NOT-03).
 *
 * Pure. The signature is that of the Standard Webhooks specification. Holds the secret as a key, so that its text
 * cannot be logged.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { LIMITS } from './contract.ts';

/** What the specification puts before the text of a secret. */
const SECRET_PREFIX = 'whsec_';
/** What it puts before a signature with HMAC-SHA-256. */
const SIGNATURE_PREFIX = 'v1,';

/** The receiver that `--webhook` names. */
export class Endpoint {
  /** As given. */
  readonly url: string;
  private readonly key: KeyObject;

  /** Takes a URL that `isEndpointUrl` accepts, and the bytes of its secret. */
  constructor(url: string, secret: Buffer) {
    this.url = url;
    this.key = createSecretKey(secret);
  }

  /** Returns the value of `webhook-signature` for an id, a time in Unix seconds, and a body. */
  sign(id: string, nowS: number, body: string): string {
    const mac = createHmac('sha256', this.key).update(`${id}.${nowS}.`).update(body).digest('base64');
    return `${SIGNATURE_PREFIX}${mac}`;
  }
}

/** Returns whether a text is a URL of http or https without user name and fragment, in visible ASCII. */
export function isEndpointUrl(text: string): boolean {
  const parts = /^https?:\/\/([^/?]*)([/?].*)?$/i.exec(text);
  if (parts === null || text.length > LIMITS.webhook_url_bytes) return false;
  if (!/^[!-~]*$/.test(text) || /["#<>\\^`{|}]/.test(text)) return false;
  const authority = /^(\[[0-9A-Fa-f:.]*\]|[0-9A-Za-z._-]+)(?::([0-9]{1,5}))?$/.exec(parts[1]!);
  if (authority === null) return false;
  const [, host = '', port] = authority;
  if (host.startsWith('[') && !isIPv6(host.slice(1, -1))) return false;
  return port === undefined || (Number(port) > 0 && Number(port) <= 65_535);
}

/** Returns the bytes of a secret's text; `undefined` when it is none, or too short or too long. */
export function parseSecret(text: string): Buffer | undefined {
  if (!text.startsWith(SECRET_PREFIX)) return undefined;
  const encoded = text.slice(SECRET_PREFIX.length);
  const bytes = Buffer.from(encoded, 'base64');
  // Node skips characters outside of the alphabet, so the bytes are encoded again.
  if (bytes.toString('base64') !== encoded) return undefined;
  const { webhook_secret_bytes: least, webhook_secret_most_bytes: most } = LIMITS;
  return bytes.length >= least && bytes.length <= most ? bytes : undefined;
}
