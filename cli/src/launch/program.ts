/**
 * Runs the chosen server as a child, and passes every signal on exactly once.
 *
 * The child has a process group of its own, because Ctrl-C in a terminal reaches a whole group. A server that receives
 * the signal from the terminal and from here would end at once with 1. With `--parent-pid` the server ends when this
 * process is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Target } from '@twin-ingest/testkit/servers/targets.ts';
import { passOn } from '../terminal.ts';
import { flagValue } from './options.ts';

/** The line that a server prints on stdout (rule PRO-01), as far as this command reads it. */
export interface Ready {
  readonly url: string;
  readonly login_url?: string;
}

/** A console of Windows sends its events to the child itself, and `kill` would end the child at once. */
const IS_WINDOWS = process.platform === 'win32';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Signals that follow one another within this time are one: no user presses Ctrl-C twice as fast. */
export const SAME_SIGNAL_MS = 150;

type Program = Pick<Target, 'command' | 'args'>;

/** Runs the server until it ends; returns its exit code. `onReady` gets the ready line. */
export async function runServer(
  target: Program,
  flags: readonly string[],
  onReady: (ready: Ready) => void,
): Promise<number> {
  const own = flagValue(flags, 'parent-pid') !== undefined || process.env.INGEST_PARENT_PID;
  const parent = own ? [] : ['--parent-pid', String(process.pid)];
  const child = spawn(target.command, [...target.args, ...flags, ...parent], {
    stdio: ['inherit', 'pipe', 'inherit'],
    detached: !IS_WINDOWS,
  });
  forwardOutput(child, onReady);
  return await ended(child);
}

/** Runs a command of the server, such as `dump`, with this process's streams; returns its exit code. */
export async function runCommand(target: Program, words: readonly string[]): Promise<number> {
  const child = spawn(target.command, [...target.args, ...words], {
    stdio: 'inherit',
    detached: !IS_WINDOWS,
  });
  return await ended(child);
}

/** Returns the exit code of a child, as a shell does for one that a signal ended. */
async function ended(child: ChildProcess): Promise<number> {
  let passed_at = Number.NEGATIVE_INFINITY;
  const passOn = (signal: NodeJS.Signals) => {
    const now = performance.now();
    // `timeout` and other programs send a signal to this process and to its group.
    if (now - passed_at < SAME_SIGNAL_MS) return;
    passed_at = now;
    if (!IS_WINDOWS) child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
  };
  for (const signal of SIGNALS) process.on(signal, passOn);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) =>
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
      );
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, passOn);
  }
}

/** Passes stdout on. A terminal does not show the ready line, since `onReady` prints it for people. */
function forwardOutput({ stdout }: ChildProcess, onReady: (ready: Ready) => void): void {
  let head: string | null = '';
  process.stdout.on('error', () => undefined);
  stdout!.setEncoding('utf8').on('data', (text: string) => {
    if (head === null) return passOn(text);
    head += text;
    const end = head.indexOf('\n') + 1;
    if (end === 0) return;
    const [line, rest] = [head.slice(0, end), head.slice(end)];
    head = null;
    const ready = readyOf(line);
    if (ready === null || !process.stdout.isTTY) passOn(line);
    if (ready !== null) onReady(ready);
    passOn(rest);
  });
  stdout!.on('end', () => passOn(head ?? ''));
}

function readyOf(line: string): Ready | null {
  try {
    const ready = JSON.parse(line) as Ready & { readonly event?: string };
    return ready.event === 'ready' ? ready : null;
  } catch {
    return null;
  }
}
