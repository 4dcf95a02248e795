/**
 * The cost of writing and building each of the four servers: lines, dependencies and, on request, the time of a clean
 * build.
 *
 * A line counts when it has code: comments, blank lines and tests do not. SQL counts separately, since both languages
 * share it. Dependencies are those that the program ships with, from the lock files. Invariant: a timed cargo build has
 * its own folder, so that it neither uses nor replaces existing builds.
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inFolder } from '@twin-ingest/testkit/files/temporary-folder.ts';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { packageManager } from '@twin-ingest/testkit/servers/build.ts';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';

export interface ProgramFacts {
  readonly name: 'rs' | 'ts' | 'plain-rs' | 'plain-ts';
  readonly language: 'Rust' | 'TypeScript';
  readonly lines: number;
  readonly sql_lines: number;
  /** `all`: direct and indirect dependencies, each version once. */
  readonly dependencies: { readonly direct: number; readonly all: number };
  /** Wall-clock seconds of one clean build; `null` when not requested, or when the program runs from source. */
  readonly clean_build_s: number | null;
}

interface Program extends Pick<ProgramFacts, 'name' | 'language'> {
  /** Patterns of the files with code, and of those with SQL. */
  readonly sources: string;
  readonly sql: readonly string[];
  /** The manifest of a crate, or the name of a package. */
  readonly manifest: string;
  /** Script that bundles a package. */
  readonly bundler?: string;
}

const CONTRACT_SQL = ['contract/{queries,migrations}/**/*.sql', 'contract/pragmas.sql'];
const PLAIN_SQL = ['loadgen/plain/sql/*.sql', 'contract/pragmas.sql'];
const PROGRAMS: readonly Program[] = [
  {
    name: 'rs',
    language: 'Rust',
    sources: 'server-rs/src/**/*.rs',
    sql: CONTRACT_SQL,
    manifest: 'server-rs/Cargo.toml',
  },
  {
    name: 'ts',
    language: 'TypeScript',
    sources: 'server-ts/src/**/*.ts',
    sql: CONTRACT_SQL,
    manifest: '@twin-ingest/server',
    bundler: 'server-ts/build.ts',
  },
  {
    name: 'plain-rs',
    language: 'Rust',
    sources: 'loadgen/plain/rust/src/*.rs',
    sql: PLAIN_SQL,
    manifest: 'loadgen/plain/rust/Cargo.toml',
  },
  {
    name: 'plain-ts',
    language: 'TypeScript',
    sources: 'loadgen/plain/typescript/*.ts',
    sql: PLAIN_SQL,
    manifest: '@twin-ingest/plain',
  },
];

function linesOf(patterns: string | readonly string[]): number {
  const files = globSync(patterns, { cwd: ROOT }).filter((file) => !/\.(test|d)\.ts$/.test(file));
  return files.reduce((sum, file) => sum + countLines(readFileSync(join(ROOT, file), 'utf8'), file), 0);
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
function cratesOf(manifest: string): ProgramFacts['dependencies'] {
  const flags = ['--manifest-path', manifest, '--locked', '--edges', 'normal,build', '--prefix', 'none'];
  const crates = (...more: string[]) => {
    const listed = run('cargo', ['tree', ...flags, '--format', '{p}', ...more]).match(/^\S+ \S+/gm);
    // The list includes the crate itself.
    return new Set(listed).size - 1;
  };
  return { direct: crates('--depth', '1'), all: crates() };
}

interface Listed {
  readonly dependencies?: Readonly<Record<string, Listed & { readonly version: string }>>;
}

async function packagesOf(name: string): Promise<ProgramFacts['dependencies']> {
  const [command, ...first] = await packageManager();
  const flags = ['list', '--filter', name, '--prod', '--depth', 'Infinity', '--json'];
  const [listed] = JSON.parse(run(command!, [...first, ...flags])) as [Listed];
  const namesIn = ({ dependencies = {} }: Listed): string[] =>
    Object.entries(dependencies).flatMap(([one, found]) => [`${one} ${found.version}`, ...namesIn(found)]);
  return { direct: Object.keys(listed.dependencies ?? {}).length, all: new Set(namesIn(listed)).size };
}

/** Returns the seconds of one build, without the time to fetch dependencies. `null` for a program without a build. */
async function buildTime({ language, manifest, bundler }: Program): Promise<number | null> {
  if (language === 'TypeScript' && bundler === undefined) return null;
  return await inFolder((folder) => {
    if (bundler === undefined) run('cargo', ['fetch', '--locked', '--manifest-path', manifest]);
    const flags = ['--release', '--locked', '--manifest-path', manifest, '--target-dir', folder];
    const from = performance.now();
    // The bundler removes its previous output and creates the same again.
    if (bundler === undefined) run('cargo', ['build', ...flags]);
    else run(process.execPath, [bundler]);
    return (performance.now() - from) / 1000;
  });
}

function run(command: string, args: readonly string[]): string {
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  return execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', stdio, maxBuffer: 64 << 20 });
}

if (import.meta.main) {
  answerHelp(`Usage: pnpm plain:facts [--build-times]

Prints lines of code and dependencies of the four servers as JSON.

  --build-times  also build each once without anything built before; takes minutes
`);
  const facts: ProgramFacts[] = [];
  for (const program of PROGRAMS) {
    const { name, language, sources, sql, manifest } = program;
    facts.push({
      ...{ name, language, lines: linesOf(sources), sql_lines: linesOf(sql) },
      dependencies: language === 'Rust' ? cratesOf(manifest) : await packagesOf(manifest),
      clean_build_s: process.argv.includes('--build-times') ? await buildTime(program) : null,
    });
  }
  process.stdout.write(`${JSON.stringify(facts, null, 2)}\n`);
}
