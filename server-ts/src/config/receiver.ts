/** Reads the URL of a receiver (`--forward`). Pure. */

/** The server that receives forwarded events. */
export interface Receiver {
  /** The URL without a slash at its end. It names the cursor in the database. */
  readonly url: string;
  /** Host and port as given, for people. */
  readonly host: string;
}

const RECEIVER = /^https?:\/\/(?<host>[^/]+)(?:\/[0-9A-Za-z/._~-]*)?$/;
const ADDRESS = /^(?:\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(?::(?<port>[0-9]{1,5}))?$/;

/**
 * Returns the receiver of a URL; `undefined` for any other text. The URL has a scheme, a host, and optionally a port and
 * a path.
 */
export function parseReceiver(text: string): Receiver | undefined {
  const url = text.replace(/\/+$/, '');
  const { host } = RECEIVER.exec(url)?.groups ?? {};
  return host !== undefined && isAddress(host) ? { url, host } : undefined;
}

/** Returns whether a text is a host, and optionally a port. */
export function isAddress(host: string): boolean {
  const found = ADDRESS.exec(host);
  const port = Number(found?.groups?.port ?? '1');
  return found !== null && port > 0 && port < 65_536;
}
