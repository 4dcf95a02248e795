/** Runs `twin-ingest doctor` like a user, with a private home, next to a real server. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type RunningServer, startServer } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { ServerAddress } from '../src/connect/agent.ts';
import { agentOf } from '../src/connect/agents.ts';
import { type Ran, run } from './run-script.ts';

/** Runs the doctor for a user whose home is `root`; no settings of the machine's real user apply. */
export async function doctor(
  root: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return await run('doctor', argv, { cwd: root, env: { ...homeOf(root), ...env } });
}

/** Writes the same settings as `twin-ingest connect` (`connect.test.ts` runs the command itself). */
export function connect(
  root: string,
  name: string,
  server: ServerAddress,
  hasCurl = process.platform !== 'win32',
): void {
  const place = {
    ...{ home: root, cwd: root, env: homeOf(root), system: '/' },
    ...{ platform: process.platform, hasCurl },
  };
  for (const { path, connected } of agentOf(name)!.parts(place, 'own')) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : null;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, connected(text, server).text!);
  }
}

const homeOf = (root: string) => ({ HOME: root, USERPROFILE: root, XDG_CONFIG_HOME: join(root, '.config') });

export async function withServer(
  name: TargetName,
  root: string,
  flags: readonly string[],
  work: (server: RunningServer) => Promise<void>,
  wrapper: readonly string[] = [],
): Promise<void> {
  const server = await startServer(name, {
    cwd: root,
    wrapper,
    flags: ['--db', join(root, 'data', 'events.db'), ...flags],
  });
  try {
    await work(server);
  } finally {
    await server.stop();
  }
}

/** Stores an event, from OpenCode's plugin unless `more` overrides that; returns the status. */
export async function post(url: string, more: object = {}): Promise<number> {
  const event = { session_id: 's', agent_type: 'opencode', event_type: 'response', source: 'hook' };
  return await send(`${url}/api/events`, { ...event, ...more });
}

/** Posts JSON and returns the status. */
export async function send(url: string, content: unknown): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(content) });
  await response.arrayBuffer();
  return response.status;
}
