/**
 * Runs an agent as a child with an emptied environment.
 *
 * Invariant: of the caller's variables a child gets only `PATH`. A child does not outlive its deadline.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { inFolder } from '@twin-ingest/testkit/files/temporary-folder.ts';
import type { AgentKind, Command, Place } from '../agents/agent.ts';

const DEADLINE_MS = 180_000;
/** An address at which nothing listens. */
const NOBODY = 'http://127.0.0.1:9';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Returns the version that `--version` prints; `null` if the agent does not start. */
export async function versionOf(agent: AgentKind, prefix: string): Promise<string | null> {
  return await inFolder(async (folder) => {
    const place = { prefix, home: folder, project: folder, apiUrl: NOBODY, serverUrl: NOBODY };
    const ran = await runTurn(agent, place, ['--version']);
    return ran.code === 0 ? (/\d+\.\d+\.\d+\S*/.exec(ran.stdout)?.[0] ?? null) : null;
  });
}

export function agentEnv(agent: AgentKind, place: Place): Record<string, string> {
  const proxy = { HTTPS_PROXY: place.apiUrl, HTTP_PROXY: place.apiUrl, NO_PROXY: '127.0.0.1,localhost' };
  return {
    HOME: place.home,
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    ...proxy,
    ...agent.env(place),
  };
}

export async function run(command: Command, env: Record<string, string>, cwd: string): Promise<Ran> {
  const child = spawn(command.file, command.args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
  });
  const ended = once(child, 'close').then(
    ([code]) => code as number | null,
    () => null,
  );
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

export function runTurn(agent: AgentKind, place: Place, args: readonly string[]): Promise<Ran> {
  const program = agent.program(place.prefix);
  const command = { file: program.file, args: [...program.args, ...args] };
  return run(command, agentEnv(agent, place), place.project);
}
