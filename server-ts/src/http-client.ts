/**
 * Sends POST requests to one receiver over HTTP or HTTPS (rules NOT-01 and FWD-01).
 *
 * It follows no redirection and uses no proxy of the environment. The caller bounds the time of a request. Invariant:
 * neither the URL nor a header appears in a log line.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { SERVER_VERSION } from './contract.ts';
import type { Log } from './log.ts';

/** The name that the server gives itself. */
const USER_AGENT = `ingest-server/${SERVER_VERSION}`;

/** The client of one receiver. */
export class HttpClient {
  private readonly url: URL;
  private readonly request: typeof http.request;
  private readonly agent: http.Agent;

  /** Creates the client of a URL; for https, reads the certificates of the authorities. */
  constructor(url: string, isKept: boolean, log: Log) {
    this.url = new URL(url);
    const options = { keepAlive: isKept, maxSockets: 1 };
    const isSecure = this.url.protocol === 'https:';
    this.request = isSecure ? https.request : http.request;
    this.agent = isSecure
      ? new https.Agent({ ...options, secureContext: trust(log) })
      : new http.Agent(options);
  }

  /** Sends a request; resolves with its answer, whose body may still arrive. */
  post(
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array,
    signal: AbortSignal,
  ): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const all = { ...headers, 'user-agent': USER_AGENT };
      const { agent } = this;
      const request = this.request(this.url, { method: 'POST', agent, headers: all, signal }, resolve);
      request.on('error', reject);
      request.end(body);
    });
  }

  /** Closes the kept connection; a request in progress fails. */
  close(): void {
    this.agent.destroy();
  }
}

/** Returns the settings of TLS. */
function trust(log: Log): SecureContext {
  const ca = authorities();
  if (ca.length === 0) log.warn('no certificate of an authority was found, so requests over HTTPS fail');
  return createSecureContext({ ca });
}

/**
 * Returns the certificates of the authorities: those of the PEM file `SSL_CERT_FILE`, else those of the system. Node's
 * default is a list of its own, which has no authority of a company.
 */
function authorities(): string[] {
  const path = process.env.SSL_CERT_FILE;
  // The folder of the system has links, so Node lists a certificate up to three times.
  if (path === undefined) return [...new Set(getCACertificates('system'))];
  try {
    const found = readFileSync(path, 'latin1').match(
      /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g,
    );
    return (found ?? []).filter(isCertificate);
  } catch {
    return [];
  }
}

/** Returns whether a text is a certificate. One that cannot be read is left out. */
function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).subject !== undefined;
  } catch {
    return false;
  }
}
