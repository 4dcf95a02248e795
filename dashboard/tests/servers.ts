/** Servers for the dashboard, each on its own file, and events to show. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type RunningServer, startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { listen } from '@twin-ingest/testkit/servers/tcp-server.ts';

export const otherOf = (name: TargetName): TargetName => TARGET_NAMES.find((other) => other !== name)!;

/** Starts servers on one file; both are removed with the test. */
export function onFile(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  const running: RunningServer[] = [];
  t.after(async () => {
    for (const server of running) await server.stop().catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  });
  return async (name: TargetName, port = 0, flags: readonly string[] = []): Promise<RunningServer> => {
    const server = await startServer(name, {
      cwd: folder,
      flags: ['--db', join(folder, 'page.db'), '--port', String(port), ...flags],
    });
    running.push(server);
    return server;
  };
}

/** Posts events. An event given as text keeps its exact bytes. */
export async function post(url: string, events: readonly (object | string)[]): Promise<void> {
  const texts = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)));
  const response = await fetch(`${url}/api/events/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"events":[${texts.join(',')}]}`,
  });
  assert.equal(response.status, 201);
  const { received } = (await response.json()) as { received: number };
  assert.equal(received, events.length);
}

export function event(fields: object = {}): object {
  return { session_id: 's1', agent_type: 'agent', event_type: 'tool_use', tool_name: 'Bash', ...fields };
}

/** Returns various events, so that every part of the dashboard has content. */
export function varied(count: number): object[] {
  const types = ['tool_use', 'llm_response', 'user_prompt', 'error', 'file_change', 'session_start'];
  return Array.from({ length: count }, (_, i) =>
    event({
      session_id: `session-${i % 7}`,
      event_type: types[i % types.length],
      ...(i % 3 === 0 ? { tool_name: ['Bash', 'Read', 'Edit'][(i / 3) % 3], duration_ms: i * 7 } : {}),
      ...(i % 5 === 0 ? { status: 'error' } : {}),
      model: ['large', 'small'][i % 2],
      project: `project-${i % 3}`,
      branch: ['main', 'topic'][i % 2],
      tokens_in: i * 10,
      tokens_out: i,
      cost_usd: i / 1000,
      metadata: { command: `echo ${i}`, n: i },
    }),
  );
}

/** Forwards a port of this machine to the server, as `ssh -L` and `docker -p` do; returns it. */
export async function tunnel(t: TestContext, port: number): Promise<number> {
  const relay = await listen((near) => forward(near, port));
  t.after(() => relay.close());
  return relay.port;
}

/** Joins a connection to a new one of this port, in both directions. */
export function forward(near: Socket, port: number): void {
  const far = connect(port, '127.0.0.1');
  for (const socket of [near, far]) socket.on('error', () => {});
  near.pipe(far).pipe(near);
  near.on('close', () => far.destroy());
  far.on('close', () => near.destroy());
}
