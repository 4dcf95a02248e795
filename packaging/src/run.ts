/** Runs a program to its end, and fails with its output when it fails. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Time limit; a program that takes longer is killed, and the run fails. */
  readonly limitMs?: number;
}

/** Returns stdout. The error of a failed program has both its outputs. */
export async function run(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const { cwd, env = process.env, limitMs = 600_000 } = options;
  const child = spawn(command, args, { ...(cwd === undefined ? {} : { cwd }), env, timeout: limitMs });
  child.stdin.end();
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  if (code === 0) return stdout;
  const how = signal === null ? `code ${code}` : `${signal} (limit ${limitMs} ms)`;
  throw new Error(`${command} ${args.join(' ')} ended with ${how}\n${stdout}\n${stderr}`);
}
