/** Runs a command of the server's program to its end (rule PRO-15). */
import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { TARGETS, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';

export interface CommandResult {
  /** null after a signal. */
  readonly exit: number | null;
  /** Standard output; empty when it went to a file. */
  readonly stdout: string;
  readonly stderr: string;
}

interface CommandInput {
  readonly cwd: string;
  /** Variables in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** File or text for standard input; nothing by default. */
  readonly inputFile?: string;
  readonly input?: string;
  /** File for standard output. */
  readonly outputFile?: string;
  /** A program before the server's, with its arguments. */
  readonly wrapper?: readonly string[];
  /** Milliseconds until SIGKILL; never by default. */
  readonly killAfterMs?: number;
}

/** Runs the program of a server with these arguments. */
export async function runCommand(
  target: TargetName,
  args: readonly string[],
  { cwd, env, inputFile, input, outputFile, wrapper = [], killAfterMs }: CommandInput,
): Promise<CommandResult> {
  const { command, args: first } = TARGETS[target];
  const [program, ...rest] = [...wrapper, command, ...first, ...args];
  const child = spawn(program!, rest, { cwd, env: { ...process.env, ...env }, stdio: 'pipe' });
  let [stdout, stderr] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('close', (code) => resolve(code)).on('error', reject);
  });
  // A program that refuses its arguments does not read.
  child.stdin.on('error', () => {});
  if (inputFile === undefined) child.stdin.end(input ?? '');
  else void pipeline(createReadStream(inputFile), child.stdin).catch(() => {});
  const written =
    outputFile === undefined
      ? child.stdout.setEncoding('utf8').on('data', (text: string) => {
          stdout += text;
        })
      : pipeline(child.stdout, createWriteStream(outputFile));
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const exit = await ended;
  clearTimeout(timer);
  await written;
  return { exit, stdout, stderr };
}

/** Returns the lines of a result as objects. */
export function linesOf({ stdout }: Pick<CommandResult, 'stdout'>): Record<string, unknown>[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
