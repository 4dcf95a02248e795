/**
 * Runs a command of this package as a child, like pnpm, and keeps its output.
 *
 * Invariant: a child never outlives its test.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
  /** Resolves once stdout has this text; rejects when the child ends without it. */
  shown(text: string): Promise<string>;
}

const LIMIT_MS = 120_000;

/** Starts a script of `src` with an environment of its own for temporary files. */
export function start(script: string, argv: readonly string[], folder: string): Running {
  const path = fileURLToPath(new URL(`../src/${script}`, import.meta.url));
  const child = spawn(process.execPath, [path, ...argv], {
    cwd: folder,
    env: { ...process.env, TMPDIR: folder, INIT_CWD: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out = { stdout: '', stderr: '' };
  const looks = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      out[name] += text;
      for (const look of looks) look();
    });
  const late = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const ended = new Promise<Ran>((resolve) => {
    child.once('close', (code) => {
      clearTimeout(late);
      resolve({ code, ...out });
    });
  });
  const shown = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (out.stdout.includes(text)) resolve(out.stdout);
      };
      looks.add(look);
      look();
      void ended.then(({ code, stderr }) =>
        reject(new Error(`ended with ${code} before ${text}: ${stderr}`)),
      );
    });
  return { child, ended, shown };
}
