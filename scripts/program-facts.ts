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
import type { ProgramFacts } from '@twin-ingest/loadgen/report/document.ts';
import { inFolder } from '@twin-ingest/testkit/files/temporary-folder.ts';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { packageManager } from '@twin-ingest/testkit/servers/build.ts';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';

/** Each program with the pattern of its code, and with the manifest of its crate or the name of its package. */
const PROGRAMS = [
  ['rs', 'server-rs/src/**/*.rs', 'server-rs/Cargo.toml'],
  ['ts', 'server-ts/src/**/*.ts', '@twin-ingest/server'],
  ['plain-rs', 'loadgen/plain/rust/src/*.rs', 'loadgen/plain/rust/Cargo.toml'],
  ['plain-ts', 'loadgen/plain/typescript/*.ts', '@twin-ingest/plain'],
] as const;
const SQL = ['contract/{queries,migrations}/**/*.sql', 'contract/pragmas.sql'];
const PLAIN_SQL = ['loadgen/plain/sql/*.sql', 'contract/pragmas.sql'];

function linesOf(patterns: string | readonly string[]): number {
  const files = globSync(patterns, { cwd: ROOT }).filter((file) => !/\.(test|d)\.ts$/.test(file));
  return files.reduce((sum, file) => sum + countLines(readFileSync(join(ROOT, file), 'utf8'), file), 0);
}

/** Returns the lines of code. A comment must begin its line, and unit tests must be at the end of a Rust file. */
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
  // The list includes the crate itself.
  const crates = (...more: string[]) =>
    new Set(run('cargo', ['tree', ...flags, '--format', '{p}', ...more]).match(/^\S+ \S+/gm)).size - 1;
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

/** Returns the seconds of one build, without the time to fetch dependencies. */
async function buildTime(name: ProgramFacts['name'], manifest: string): Promise<number | null> {
  if (name === 'plain-ts') return null;
  const seconds = (command: string, args: readonly string[]) => {
    const from = performance.now();
    run(command, args);
    return (performance.now() - from) / 1000;
  };
  if (name === 'ts') return seconds(process.execPath, ['server-ts/build.ts']);
  run('cargo', ['fetch', '--locked', '--manifest-path', manifest]);
  const flags = ['--release', '--locked', '--manifest-path', manifest, '--target-dir'];
  return await inFolder((folder) => seconds('cargo', ['build', ...flags, folder]));
}

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe', maxBuffer: 64 << 20 });
}

if (import.meta.main) {
  answerHelp(`Usage: pnpm plain:facts [--build-times]

Prints lines of code and dependencies of the four servers as JSON.

  --build-times  also build each once without anything built before; takes minutes
`);
  const facts: ProgramFacts[] = [];
  for (const [name, sources, manifest] of PROGRAMS)
    facts.push({
      name,
      lines: linesOf(sources),
      sql_lines: linesOf(name.startsWith('plain') ? PLAIN_SQL : SQL),
      dependencies: manifest.endsWith('.toml') ? cratesOf(manifest) : await packagesOf(manifest),
      clean_build_s: process.argv.includes('--build-times') ? await buildTime(name, manifest) : null,
    });
  process.stdout.write(`${JSON.stringify(facts, null, 2)}\n`);
}
