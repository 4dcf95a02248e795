/**
 * Runs a command of this package as a child, like pnpm, and keeps its output.
 *
 * Invariants: a child never outlives its test. The caller's variables that scripts read do not reach it.
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
  /** Resolves with the match once stdout has one; rejects when the child ends without it. */
  shown(pattern: RegExp): Promise<RegExpExecArray>;
  /** The same for stderr. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Text for stdin, which is not a terminal. */
  readonly input?: string;
}

/** Time limit of a test; a remaining child is killed, and its exit fails the test. */
const DEADLINE_MS = 60_000;

export function start(script: string, argv: readonly string[], { cwd, env, input }: Surroundings): Running {
  const { INIT_CWD: _, CLAUDE_CONFIG_DIR: __, ...own } = process.env;
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL(`../src/${script}.ts`, import.meta.url)), ...argv],
    {
      cwd,
      env: { ...own, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  child.stdin.end(input ?? '');
  const out = { stdout: '', stderr: '' };
  const looks = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      out[name] += text;
      for (const look of looks) look();
    });
  const late = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS);
  const ended = new Promise<Ran>((resolve) => {
    child.once('close', (code) => {
      clearTimeout(late);
      resolve({ code, ...out });
    });
  });
  const matchIn = (name: 'stdout' | 'stderr', pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(out[name]);
        if (match !== null) resolve(match);
      };
      looks.add(look);
      look();
      void ended.then(({ code, stderr }) =>
        reject(new Error(`ended with ${code} before ${pattern}: ${stderr}`)),
      );
    });
  const shown = (pattern: RegExp) => matchIn('stdout', pattern);
  const said = (pattern: RegExp) => matchIn('stderr', pattern);
  return { child, ended, shown, said };
}

export function run(script: string, argv: readonly string[], how: Surroundings): Promise<Ran> {
  return start(script, argv, how).ended;
}
