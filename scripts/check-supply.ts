/**
 * `pnpm supply:check`: checks the licences, the sources and the bans of all crates by `deny.toml` (decision 89).
 *
 * It installs the binary of cargo-deny into `.bench/supply` once. It fetches the crates of all platforms, since
 * cargo-deny reads them: a build fetches those of its own platform only. It reads no advisories, because their database
 * is not in a package registry: the workflow `audit` does, with `--advisories`.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';

answerHelp(`Usage: pnpm supply:check [--advisories]

Checks the crates of Cargo.lock by deny.toml: licences, sources, bans.

  --advisories  also known vulnerabilities, from the network

Exit code: 0 nothing found, 1 a crate breaks a rule, or cargo-deny or a crate cannot be fetched.
`);
const ROOT = join(import.meta.dirname, '..');
const VENV = join(ROOT, '.bench', 'supply');
const REQUIREMENTS = join(import.meta.dirname, 'supply', 'requirements.txt');
const INSTALLED = join(VENV, 'requirements.txt');
const withAdvisories = process.argv.includes('--advisories');

/** Runs a program with this script's output and ends the script if it fails. */
function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit' });
  if (error !== undefined) process.stderr.write(`${command}: ${error.message}\n`);
  if (status !== 0) process.exit(1);
}

if (!existsSync(INSTALLED) || readFileSync(INSTALLED, 'utf8') !== readFileSync(REQUIREMENTS, 'utf8')) {
  run('python3', ['-m', 'venv', VENV]);
  run(join(VENV, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', '--requirement', REQUIREMENTS]);
  copyFileSync(REQUIREMENTS, INSTALLED);
}
run('cargo', ['fetch', '--quiet', '--locked']);
const checks = ['licenses', 'sources', 'bans', ...(withAdvisories ? ['advisories'] : [])];
const network = withAdvisories ? [] : ['--offline'];
run(join(VENV, 'bin', 'cargo-deny'), ['--log-level', 'error', ...network, '--locked', 'check', ...checks]);
