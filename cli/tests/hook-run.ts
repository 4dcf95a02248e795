/** Runs command hooks like an agent, and a server that records what they send. */
import assert from 'node:assert/strict';
import { type IOType, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { ServerAddress } from '../src/connect/agent.ts';
import type { CommandHandler } from '../src/connect/agent-hooks.ts';
import { CLAUDE_HOOKS } from '../src/connect/claude-code.ts';

/** Port 1 of the loopback address: reserved, so no server of a test listens there. */
export const NOBODY = 'http://127.0.0.1:1';

export const commandFor = (server: ServerAddress) =>
  CLAUDE_HOOKS.handlersFor(server, { hasCurl: true }).get('SessionStart') as CommandHandler;
export const payload = (session_id: string, more = '') =>
  `{"hook_event_name":"SessionStart","session_id":${JSON.stringify(session_id)},"more":${JSON.stringify(more)}}`;

export interface Surroundings {
  readonly env?: NodeJS.ProcessEnv;
  /** The agent's shell. */
  readonly shell?: string;
  readonly stdio?: readonly [IOType, IOType, IOType];
}

/** Runs the hook like the agent, and waits until all its pipes are closed; returns milliseconds. */
export async function run(
  { command }: CommandHandler,
  input: string | Buffer,
  { env = process.env, shell = '/bin/sh', stdio = ['pipe', 'pipe', 'pipe'] }: Surroundings = {},
): Promise<number> {
  const from = performance.now();
  const child = spawn(shell, ['-c', command], { env, stdio: [...stdio] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data) => {
      said += data;
    });
  // A command that ends without reading its input, as without curl, may end before the write. Agents expect that.
  child.stdin?.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') said += error;
  });
  child.stdin?.end(input);
  const [code] = await once(child, 'close');
  const took_ms = performance.now() - from;
  assert.deepEqual([code, said], [0, '']);
  return took_ms;
}

export interface Sent {
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Recorder {
  readonly origin: string;
  readonly sent: readonly Sent[];
  close(): Promise<void>;
}

/** Records requests, and answers each with this status; `null` never answers. */
export async function startRecorder(status: number | null): Promise<Recorder> {
  const sent: Sent[] = [];
  const server = createServer(async (request, response) => {
    const { url = '', headers } = request;
    sent.push({ url: new URL(url, origin), headers, body: await buffer(request) });
    if (status !== null) response.writeHead(status).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { origin, sent, close };
}
