/**
 * Installs an agent from npm into a folder of its own, once per version.
 *
 * npm runs in the caller's environment, which may name its registry. The package's scripts do not run. The packages are
 * large, so a later run reuses an installed one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import VERSIONS from '../../versions.json' with { type: 'json' };
import type { AgentKind } from '../agents/agent.ts';

const DEADLINE_MS = 600_000;

export type Installed =
  | { readonly kind: 'installed'; readonly prefix: string; readonly version: string }
  | { readonly kind: 'missing'; readonly reason: string };

/** Installs an agent. `isLatest` installs the newest version of the registry again, instead of the pinned version. */
export async function install({ name, program }: AgentKind, isLatest: boolean): Promise<Installed> {
  const { package: packageName, version: pinned } = VERSIONS[name];
  const version = isLatest ? 'latest' : pinned;
  const prefix = join(ROOT, '.bench/agents', `${name}-${version}`);
  const done = join(prefix, 'installed');
  const { file, args } = program(prefix);
  if (isLatest || !existsSync(done)) {
    mkdirSync(prefix, { recursive: true });
    const failure = await npm(prefix, `${packageName}@${version}`);
    if (failure !== null) return { kind: 'missing', reason: failure };
    writeFileSync(done, '');
  }
  const missing = [file, ...args].find((path) => !existsSync(path));
  if (missing !== undefined) return { kind: 'missing', reason: `npm installed no ${missing}` };
  return { kind: 'installed', prefix, version };
}

/** Runs `npm install`; returns the reason of a failure, or `null`. */
async function npm(prefix: string, what: string): Promise<string | null> {
  const flags = ['--prefix', prefix, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const child = spawn('npm', ['install', ...flags, what], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: DEADLINE_MS,
  });
  const [said, code] = await Promise.all([
    text(child.stderr),
    once(child, 'close').then(
      ([status]) => status as number | null,
      (error: unknown) => String(error),
    ),
  ]);
  return code === 0 ? null : `npm install ${what} ended with ${code}: ${said.trim().split('\n').at(0) ?? ''}`;
}
