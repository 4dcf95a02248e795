/** Runs command hooks like an agent, and a server that never answers. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { ServerAddress } from '../src/connect/agent.ts';
import { type CommandHandler, handlersFor } from '../src/connect/claude-hooks.ts';

/** Port 1 of the loopback address: reserved, so no server of a test listens there. */
export const NOBODY = 'http://127.0.0.1:1';

export const commandFor = (server: ServerAddress) =>
  handlersFor(server).get('SessionStart') as CommandHandler;
export const payload = (session_id: string, more = '') =>
  `{"hook_event_name":"SessionStart","session_id":${JSON.stringify(session_id)},"more":${JSON.stringify(more)}}`;

/** Runs the hook like the agent, and waits until all its pipes are closed; returns milliseconds. */
export async function run(
  { command }: CommandHandler,
  text: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const from = performance.now();
  const child = spawn('sh', ['-c', command], { env, stdio: 'pipe' });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      said += data;
    });
  child.stdin.end(text);
  const [code] = await once(child, 'close');
  const took_ms = performance.now() - from;
  assert.deepEqual([code, said], [0, '']);
  return took_ms;
}

/** Accepts connections and bytes, and never answers. */
export async function silentServer(): Promise<{
  readonly origin: string;
  readonly server: Server;
  bytes(): number;
  close(): void;
}> {
  const sockets = new Set<Socket>();
  let bytes = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket
      .on('error', () => undefined)
      .on('data', (data) => {
        bytes += data.length;
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { origin: `http://127.0.0.1:${port}`, server, bytes: () => bytes, close };
}
