/**
 * The cost of writing and building each of the four servers: lines, dependencies and, on request, the time of a clean
 * build.
 *
 * A line counts when it has code: comments, blank lines and tests do not. SQL counts separately, since both languages
 * share it. Dependencies are those that the program ships with, from the lock files. Invariant: a timed cargo build has
 * its own folder, so that it neither uses nor replaces existing builds.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';

export type ProgramName = 'rs' | 'ts' | 'plain-rs' | 'plain-ts';

export interface Dependencies {
  readonly direct: number;
  /** Direct and indirect dependencies, each version once. */
  readonly all: number;
}

export interface ProgramFacts {
  readonly name: ProgramName;
  readonly language: 'Rust' | 'TypeScript';
  readonly lines: number;
  readonly sql_lines: number;
  readonly dependencies: Dependencies;
  /** Wall-clock seconds of one clean build; `null` when not requested, or when the program runs from source. */
  readonly clean_build_s: number | null;
}

interface Program {
  readonly name: ProgramName;
  readonly sources: string;
  readonly sql: readonly string[];
  /** The manifest of a crate, or the name of a package. */
  readonly manifest: string;
  /** Script that bundles a package; `null` when it runs from source. Absent for a crate. */
  readonly bundler?: string | null;
}

const CONTRACT_SQL = ['contract/queries', 'contract/migrations', 'contract/pragmas.sql'];
const PLAIN_SQL = ['loadgen/plain/sql', 'contract/pragmas.sql'];
const PROGRAMS: readonly Program[] = [
  { name: 'rs', sources: 'server-rs/src', sql: CONTRACT_SQL, manifest: 'server-rs/Cargo.toml' },
  {
    name: 'ts',
    sources: 'server-ts/src',
    sql: CONTRACT_SQL,
    manifest: '@twin-ingest/server',
    bundler: 'server-ts/build.ts',
  },
  {
    name: 'plain-rs',
    sources: 'loadgen/plain/rust/src',
    sql: PLAIN_SQL,
    manifest: 'loadgen/plain/rust/Cargo.toml',
  },
  {
    name: 'plain-ts',
    sources: 'loadgen/plain/typescript',
    sql: PLAIN_SQL,
    manifest: '@twin-ingest/plain',
    bundler: null,
  },
];

/** Returns the facts of all four servers. `buildTimes` builds three of them, which takes minutes. */
export function readFacts({ buildTimes = false } = {}): ProgramFacts[] {
  return PROGRAMS.map((program) => {
    const isRust = program.bundler === undefined;
    return {
      name: program.name,
      language: isRust ? 'Rust' : 'TypeScript',
      lines: linesBelow(program.sources, isRust ? /\.rs$/ : /(?<!\.test|\.d)\.ts$/),
      sql_lines: program.sql.reduce((sum, path) => sum + linesBelow(path, /\.sql$/), 0),
      dependencies: isRust ? cratesOf(program.manifest) : packagesOf(program.manifest),
      clean_build_s: buildTimes ? buildTime(program) : null,
    };
  });
}

/** Returns the lines of code in a file, or in all files below a folder with names that match `isSource`. */
function linesBelow(path: string, isSource: RegExp): number {
  const full = join(ROOT, path);
  if (statSync(full).isFile()) return countLines(readFileSync(full, 'utf8'), path);
  return readdirSync(full, { withFileTypes: true })
    .filter((entry) => entry.name !== 'node_modules' && (entry.isDirectory() || isSource.test(entry.name)))
    .reduce((sum, entry) => sum + linesBelow(join(path, entry.name), isSource), 0);
}

/**
 * Returns the lines of code. It assumes that a comment begins its line, and that unit tests are at the end of a Rust
 * file.
 */
export function countLines(text: string, path: string): number {
  const code = path.endsWith('.rs') ? text.replace(/^#\[cfg\(test\)\]\nmod tests \{[\s\S]*/m, '') : text;
  const marker = path.endsWith('.sql') ? '--' : '//';
  return code
    .replace(/^\s*\/\*[\s\S]*?\*\//gm, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trim().startsWith(marker)).length;
}

/** Returns the numbers of crates that a build for this machine links or runs. */
function cratesOf(manifest: string): Dependencies {
  const flags = ['--manifest-path', manifest, '--locked', '--edges', 'normal,build', '--prefix', 'none'];
  const crates = (more: readonly string[]) => {
    const listed = run('cargo', ['tree', ...flags, '--format', '{p}', ...more]).split('\n');
    // The list includes the crate itself.
    return (
      new Set(listed.filter((line) => line !== '').map((line) => line.split(' ').slice(0, 2).join(' ')))
        .size - 1
    );
  };
  return { direct: crates(['--depth', '1']), all: crates([]) };
}

interface Listed {
  readonly dependencies?: Readonly<Record<string, Listed & { readonly version: string }>>;
}

function packagesOf(name: string): Dependencies {
  const flags = ['list', '--filter', name, '--prod', '--depth', 'Infinity', '--json'];
  const [listed] = JSON.parse(run(...packageManager(flags))) as [Listed];
  const all = new Set<string>();
  const visit = ({ dependencies = {} }: Listed) => {
    for (const [dependency, found] of Object.entries(dependencies)) {
      all.add(`${dependency} ${found.version}`);
      visit(found);
    }
  };
  visit(listed);
  return { direct: Object.keys(listed.dependencies ?? {}).length, all: all.size };
}

function packageManager(args: readonly string[]): [command: string, args: readonly string[]] {
  const { packageManager } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    packageManager: string;
  };
  return ['npx', ['--yes', packageManager, ...args]];
}

/** Returns the seconds of one build, without the time to fetch dependencies. */
function buildTime({ manifest, bundler }: Program): number | null {
  if (bundler === null) return null;
  const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-build-'));
  try {
    const flags = ['--release', '--locked', '--manifest-path', manifest, '--target-dir', folder];
    if (bundler === undefined) run('cargo', ['fetch', '--locked', '--manifest-path', manifest]);
    const from = performance.now();
    if (bundler === undefined) run('cargo', ['build', ...flags]);
    // The bundler removes its previous output and creates the same again.
    else run(process.execPath, [bundler]);
    return (performance.now() - from) / 1000;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 << 20,
  });
}

if (import.meta.main) {
  answerHelp(`Usage: pnpm plain:facts [--build-times]

Prints lines of code and dependencies of the four servers as JSON.

  --build-times  also build each once without anything built before; takes minutes
`);
  const facts = readFacts({ buildTimes: process.argv.includes('--build-times') });
  process.stdout.write(`${JSON.stringify(facts, null, 2)}\n`);
}
