/**
 * Runs the whole comparison with fake servers as a child process, and reports the files and processes that it left
 * behind.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('./fake-main.ts', import.meta.url));

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Files that the run left in its own temporary folder. */
  readonly left: readonly string[];
  /** The folder of its raw data, its report and its history. */
  readonly scratch: string;
}

/** A run that is still in progress. */
export interface RunProgress {
  readonly pid: number;
  /** Resolves when stderr matches; rejects when the run ends before. */
  until(pattern: RegExp): Promise<void>;
}

/** Runs the comparison with its own temporary folder. `during` may act on the run while it is in progress. */
export async function runCompare(
  folder: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  during?: (progress: RunProgress) => Promise<void>,
): Promise<Run> {
  const own = mkdtempSync(join(folder, 'run-'));
  const scratch = mkdtempSync(join(folder, 'scratch-'));
  // The child has its own process group, as for a command of a shell.
  const child = spawn(process.execPath, [MAIN, ...argv], {
    env: { ...process.env, TMPDIR: own, FAKE_SCRATCH: scratch, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = once(child, 'close');
  const until = async (pattern: RegExp) => {
    while (!pattern.test(stderr)) {
      if (child.exitCode !== null || child.stderr.readableEnded) throw new Error(`the run ended: ${stderr}`);
      await Promise.race([once(child.stderr, 'data'), closed]);
    }
  };
  await during?.({ pid: child.pid!, until });
  const [code] = (await closed) as [number | null];
  return { code, stdout, stderr, left: [...readdirSync(own), ...processesOf(own)], scratch };
}

/** Returns the processes that have the run's temporary folder in their environment. Only Linux can list them. */
function processesOf(own: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TMPDIR=${own}\0`);
    } catch {
      return false;
    }
  });
}
