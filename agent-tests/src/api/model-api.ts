/**
 * Runs a model API on loopback, which answers by a script and records its answers.
 *
 * It is also the proxy of the agents. It refuses a request for any other host and adds the host to `foreign`.
 * Invariant: it opens no connection.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ANTHROPIC } from './anthropic.ts';
import { GEMINI } from './gemini.ts';
import { OPENAI } from './openai.ts';
import type { Script } from './script.ts';

const FORMATS = [ANTHROPIC, OPENAI, GEMINI];

export interface ModelApi {
  readonly url: string;
  /** Other hosts that an agent tried to reach. */
  readonly foreign: ReadonlySet<string>;
  close(): Promise<void>;
}

export async function startModelApi(script: Script): Promise<ModelApi> {
  const foreign = new Set<string>();
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/') !== true) {
      foreign.add(URL.canParse(request.url ?? '') ? new URL(request.url!).host : String(request.url));
      response.writeHead(403).end();
      return;
    }
    reply(script, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.on('connect', (request, socket) => {
    foreign.add(request.url ?? '');
    socket.on('error', () => {}).end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    foreign,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function reply(script: Script, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const content = request.method === 'POST' && body.startsWith('{') ? JSON.parse(body) : {};
  const format = FORMATS.find((one) => one.read(request.url!, content) !== null);
  const read = format?.read(request.url!, content);
  if (format === undefined || read == null) {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    return;
  }
  const served = script.take(body, read.model, read.hasTools);
  await served.step.hold?.();
  if (served.step.kind === 'fail') {
    const error = {
      type: 'invalid_request_error',
      code: served.step.status,
      message: 'refused by the script',
    };
    response.writeHead(served.step.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ type: 'error', error }));
  } else if (read.isStream) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const frame of format.frames(served, read)) {
      if (typeof frame.type === 'string') response.write(`event: ${frame.type}\n`);
      response.write(`data: ${JSON.stringify(frame)}\n\n`);
    }
    response.end();
  } else {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(format.answer(served, read)));
  }
}
