/** A server that says of itself, and of what came, what a test wants it to say. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentTelemetry, Health } from '../src/doctor/server.ts';

export interface FakeServer {
  readonly origin: string;
  close(): void;
}

/** The answer of a server that has taken something from an agent. */
export function telemetryFrom(agent_type: string, more: Partial<AgentTelemetry> = {}): AgentTelemetry {
  return {
    ...{ agent_type, last_at: '2026-11-25T12:00:00.000Z', logs: 51, spans: 0, points: 0 },
    ...{ stored: 10, duplicates: 0, noise: 41, ignored: {}, ...more },
  };
}

/** `health` of `null`: of a server from before telemetry. `hasEvents`: whether it has an event of each agent by each way. */
export async function fakeServer(health: Partial<Health> | null = {}, hasEvents = true): Promise<FakeServer> {
  const row = { created_at: '2026-11-25T12:00:00.000Z', source_event: 'Stop', event_type: 'response' };
  const telemetry = health === null ? {} : { telemetry: { grpc_connections: 0, agents: [] } };
  const server = createServer((request, response) => {
    const path = new URL(request.url!, 'http://a').pathname;
    const answer =
      path === '/livez'
        ? { status: 'ok' }
        : path === '/api/health'
          ? { status: 'ok', runtime: 'fake', version: '0', ...telemetry, ...health }
          : { events: hasEvents ? [row] : [], next: null };
    response.end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${port}`, close };
}
