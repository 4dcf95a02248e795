/**
 * Prepares the Python programs of the tests in this folder.
 *
 * The packages of requirements.txt are installed into a virtual environment in `.bench`, which later runs reuse.
 * Without Python or these packages the tests are skipped with the reason.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';

const run = promisify(execFile);
const VENV = join(ROOT, '.bench', 'python');
const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const INSTALLED = join(VENV, 'requirements.txt');

/** Resolves with the reason why the tests cannot run, if any. Two files must not call it at the same time. */
export async function preparePython(): Promise<string | undefined> {
  try {
    if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === readFileSync(REQUIREMENTS, 'utf8'))
      return undefined;
    await run('python3', ['-m', 'venv', VENV]);
    await run(program('python'), ['-m', 'pip', 'install', '--quiet', '--requirement', REQUIREMENTS]);
    copyFileSync(REQUIREMENTS, INSTALLED);
    return undefined;
  } catch (error) {
    return `no Python with the packages of requirements.txt: ${(error as Error).message.slice(0, 300)}`;
  }
}

/** Returns the path of a program of the environment. */
export function program(name: string): string {
  return join(VENV, 'bin', name);
}
