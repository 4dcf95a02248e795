/** Reads the server and the stream of NATS (`--nats`, `--stream`). Pure. */
import { isAddress } from './receiver.ts';

/** Most characters of the name of a stream. */
export const NAME_CHARACTERS = 64;

/** The stream that has the events of a cluster. */
export interface StreamSource {
  /** The URL of a server of NATS. */
  readonly url: string;
  /** Host and port as given, for people. */
  readonly host: string;
  /** Text of `--nats-token-file`. */
  readonly token: string | undefined;
  /** The name of the stream. */
  readonly name: string;
  /** Number of copies, when this server creates the stream. */
  readonly replicas: number;
}

const SCHEME = 'nats://';

/** Returns host and port of a URL; `undefined` for any other text than `nats://`, a host, and optionally a port. */
export function parseNats(text: string): string | undefined {
  const host = text.slice(SCHEME.length);
  return text.startsWith(SCHEME) && isAddress(host) ? host : undefined;
}

/** Returns whether a text may be the name of a stream. */
export function isStreamName(text: string): boolean {
  return text.length <= NAME_CHARACTERS && /^[0-9A-Za-z_-]+$/.test(text);
}
