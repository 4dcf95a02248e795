/** A receiver of webhooks on loopback, which answers each attempt as a list says and checks the signatures. */
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { HostCertificate } from './certificates.ts';
import type { ScenarioContext } from './scenario.ts';

/** A status, no answer, a closed connection, or a redirect to the receiver. */
export type Answer = number | 'hang' | 'close' | 'redirect';

/** What a notification holds. */
export interface Payload {
  readonly type: string;
  readonly timestamp: string;
  readonly session: string | null;
  readonly project: string | null;
  readonly agent: string | null;
  readonly message: string;
  readonly url: string;
}

/** One received request. */
export interface Attempt {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly id: string;
  readonly body: string;
  readonly atMs: number;
}

export class WebhookReceiver {
  /** Answers of the next attempts; 204 follows the last one. */
  readonly answers: Answer[] = [];
  readonly attempts: Attempt[] = [];
  readonly secretFile: string;
  /** Number of connections so far, also of those without a request. */
  connections = 0;
  private readonly key = randomBytes(32);
  private readonly server: Server | SecureServer;
  private readonly origin: string;

  private constructor(context: ScenarioContext, certificate: HostCertificate | undefined) {
    this.secretFile = join(context.folder, 'webhook-secret');
    writeFileSync(this.secretFile, `${this.secret}\n`, { mode: 0o600 });
    const answer: RequestListener = (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url: target = '', headers } = request;
        const body = Buffer.concat(chunks).toString('utf8');
        const id = String(headers['webhook-id']);
        this.attempts.push({ method, target, headers, id, body, atMs: performance.now() });
        const next = this.answers.shift() ?? 204;
        if (next === 'hang') return;
        if (next === 'close') response.destroy();
        else if (next === 'redirect') response.writeHead(307, { location: '/elsewhere' }).end('moved');
        else response.writeHead(next).end();
      });
    };
    this.server = certificate === undefined ? createServer(answer) : createSecureServer(certificate, answer);
    this.origin = certificate === undefined ? 'http://127.0.0.1' : 'https://localhost';
    this.server.on('connection', () => {
      this.connections += 1;
    });
    // A client that refuses the certificate ends its connection.
    this.server.on('tlsClientError', () => {});
    context.atEnd(() => {
      this.server.closeAllConnections();
      this.server.close();
    });
  }

  /** Opens a receiver: of https with a certificate, else of http. */
  static async open(context: ScenarioContext, certificate?: HostCertificate): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(context, certificate);
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get secret(): string {
    return `whsec_${this.key.toString('base64')}`;
  }

  /** The flags of a server that sends to this receiver. */
  get flags(): readonly string[] {
    const { port } = this.server.address() as AddressInfo;
    return ['--webhook', `${this.origin}:${port}/hook?of=me`, '--webhook-secret-file', this.secretFile];
  }

  /** Shows another certificate to later connections of https. */
  show(certificate: HostCertificate): void {
    assert.ok('setSecureContext' in this.server);
    this.server.setSecureContext(certificate);
  }

  /** Returns the payload of an attempt, whose head and signature are checked. */
  payloadOf({ method, target, headers, id, body }: Attempt): Payload {
    assert.deepEqual([method, target], ['POST', '/hook?of=me']);
    assert.equal(headers['content-type'], 'application/json');
    assert.match(id, /^msg_[0-9a-f-]{36}_[0-9-]+_(waiting|finished|failed|budget)$/);
    const timestamp = String(headers['webhook-timestamp']);
    assert.ok(Math.abs(Number(timestamp) - Date.now() / 1000) < 60, timestamp);
    const mac = createHmac('sha256', this.key).update(`${id}.${timestamp}.${body}`).digest('base64');
    assert.equal(headers['webhook-signature'], `v1,${mac}`);
    return JSON.parse(body) as Payload;
  }
}
