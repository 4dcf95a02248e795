/** Runs starts that should end on their own: a wrong flag, a broken file, `--help`. */
import { spawn } from 'node:child_process';
import { cleanEnvironment } from './server.ts';
import { TARGETS, type TargetName } from './targets.ts';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const DEADLINE_MS = 10_000;

/** Runs a server's command until it ends. A server that keeps running is killed, which is an error. */
export function failedStart(
  name: TargetName,
  flags: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const target = TARGETS[name];
  const child = spawn(target.command, [...target.args, ...flags], {
    cwd,
    // A free port, so that a start that binds it does not depend on other programs of this machine.
    env: { ...cleanEnvironment(), INGEST_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    out.stderr += text;
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(
        new Error(
          `${name} ${flags.join(' ')} did not end within ${DEADLINE_MS} ms\n${out.stdout}${out.stderr}`,
        ),
      );
    }, DEADLINE_MS);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, ...out });
    });
  });
}

/** Returns the lines of stderr that are not log records: messages for the user. */
export function plainLines(stderr: string): string[] {
  return stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
}
