/** Reads the URL of a receiver (`--forward`). Pure. */

/** The server that receives forwarded events. */
export interface Receiver {
  /** The URL without a slash at its end. It names the cursor in the database. */
  readonly url: string;
  /** Host and port as given, for people. */
  readonly host: string;
}

const RECEIVER =
  /^https?:\/\/(?<host>(?:\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(?::(?<port>[0-9]{1,5}))?)(?:\/[0-9A-Za-z/._~-]*)?$/;

/**
 * Returns the receiver of a URL; `undefined` for any other text. The URL has a scheme, a host, and optionally a port and
 * a path.
 */
export function parseReceiver(text: string): Receiver | undefined {
  const url = text.replace(/\/+$/, '');
  const { host, port = '1' } = RECEIVER.exec(url)?.groups ?? {};
  const isPort = Number(port) > 0 && Number(port) < 65_536;
  return host === undefined || !isPort ? undefined : { url, host };
}
