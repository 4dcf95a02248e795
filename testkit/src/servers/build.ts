/**
 * Builds a server whose artefact is missing, older than its sources, or possibly from another build.
 *
 * A stale program would run code that is no longer in the sources. The scripts of package.json do the building; this
 * module knows neither cargo nor a bundler. It runs them without pnpm, which would need a second and perhaps a network.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { delimiter, dirname, extname, join, resolve } from 'node:path';
import { Failure } from '../process/failure.ts';
import type { Lifetime } from '../process/lifetime.ts';
import { ROOT, type Target, type TargetName } from './targets.ts';

export type Freshness = 'fresh' | 'stale' | 'missing';

/** Folders of generated files, and of programs that are no part of a server. */
const SKIPPED = new Set(['node_modules', 'dist', 'target', 'tests', 'examples', 'ceiling']);

/** A program to build, and how to detect a stale build: a server, or the program behind a ceiling. */
export interface Buildable
  extends Pick<Target, 'artefact' | 'sources'>,
    Partial<Pick<Target, 'hasOtherBuilds'>> {
  /** The script of package.json that builds it; `null` for a program that runs from source. */
  readonly build: string | null;
}

/** A program with the name of its server, which is shown to users. */
export interface NamedProgram {
  readonly name: TargetName;
  readonly program: Buildable;
}

export interface Building {
  readonly lifetime: Lifetime;
  /** If false, a stale program is not built, but returned. */
  readonly build: boolean;
  readonly say: (line: string) => void;
}

/** Builds stale programs; returns the servers that run although they are stale. */
export async function buildStale(programs: readonly NamedProgram[], how: Building): Promise<TargetName[]> {
  const stale: TargetName[] = [];
  for (const { name, program } of programs) {
    const freshness = await freshnessOf(program);
    if (how.build) {
      if (freshness === 'fresh' && program.hasOtherBuilds !== true) continue;
      const why = freshness === 'fresh' ? 'perhaps of another build' : freshness;
      how.say(`${name}: ${why}, so pnpm ${program.build} runs`);
      await build(program, how.lifetime);
    } else if (freshness === 'missing')
      throw new Failure('not_built', `${name} is not built; pnpm ${program.build} builds it`);
    else if (freshness === 'stale' && !stale.includes(name)) stale.push(name);
  }
  return stale;
}

export async function freshnessOf(target: Buildable): Promise<Freshness> {
  const built = await modifiedMs(target.artefact);
  if (built === null) return 'missing';
  for (const source of target.sources) {
    if ((await newestMs(resolve(ROOT, source))) > built) return 'stale';
  }
  return 'fresh';
}

/** Runs the program's script; its output goes to stderr, since stdout is for the result. */
async function build(target: Buildable, lifetime: Lifetime): Promise<void> {
  const { build: script } = target;
  if (script === null) throw new Failure('not_built', `${target.artefact} is missing`);
  const command = (await manifest()).scripts[script];
  if (command === undefined) throw new Failure('build_failed', `package.json has no script ${script}`);
  const path = [join(ROOT, 'node_modules', '.bin'), dirname(process.execPath), process.env.PATH];
  const child = spawn(command, {
    shell: true,
    cwd: ROOT,
    env: { ...process.env, PATH: path.join(delimiter) },
    stdio: ['ignore', process.stderr, process.stderr],
  });
  const release = lifetime.add(async () => void child.kill('SIGTERM'));
  const ended = once(child, 'close').catch((error: unknown) => {
    throw new Failure('build_failed', `pnpm ${script} could not be started: ${String(error)}`);
  });
  const [code] = await lifetime.orInterrupted(ended);
  await release();
  if (code !== 0) throw new Failure('build_failed', `pnpm ${script} ended with ${code}`);
  if ((await modifiedMs(target.artefact)) === null) {
    throw new Failure('build_failed', `pnpm ${script} made no ${target.artefact}`);
  }
}

/** Returns the pnpm that runs this script, a JavaScript file or a program; without one, the pinned version. */
export async function packageManager(): Promise<string[]> {
  const running = process.env.npm_execpath;
  if (running !== undefined && running !== '') {
    return ['.js', '.cjs', '.mjs'].includes(extname(running)) ? [process.execPath, running] : [running];
  }
  return ['npx', '--yes', (await manifest()).packageManager];
}

interface Manifest {
  readonly packageManager: string;
  readonly scripts: Readonly<Record<string, string>>;
}

async function manifest(): Promise<Manifest> {
  return JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest;
}

async function newestMs(path: string): Promise<number> {
  const own = await stat(path).catch(() => null);
  // A missing source does not make a build stale.
  if (own === null) return 0;
  if (!own.isDirectory()) return own.mtimeMs;
  const entries = await readdir(path, { withFileTypes: true });
  const kept = entries.filter((entry) => !SKIPPED.has(entry.name) && (entry.isFile() || entry.isDirectory()));
  const times = await Promise.all(kept.map((entry) => newestMs(join(path, entry.name))));
  return Math.max(0, ...times);
}

async function modifiedMs(path: string): Promise<number | null> {
  return (await stat(path).catch(() => null))?.mtimeMs ?? null;
}
