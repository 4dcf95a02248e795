/**
 * Runs a server as a child process: starts it on a free port, waits for its ready line, stops it by its own pid.
 *
 * Invariants: it signals only its own children. A child never outlives its parent's `stop` or `kill`, nor its parent:
 * a test that fails before its `stop` leaves no process behind. Readiness is the ready line of rule PRO-01, not a
 * delay.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { TARGETS, type Target, type TargetName } from './targets.ts';

/** The line that a server prints on stdout (rule PRO-01). */
export interface ReadyLine {
  readonly event: 'ready';
  readonly url: string;
  /** Where the server listens; without [::1] another process may have it (rule PRO-21). */
  readonly addresses: readonly string[];
  readonly pid: number;
  readonly runtime: string;
  readonly version: string;
  readonly contract: string;
  /** Opens one window, if there is a token (rule SEC-09). */
  readonly login_url?: string;
  /** The path of `--socket`, if given (rule PRO-11). */
  readonly socket?: string;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface StartOptions {
  /** Flags of the program; `--port 0` is added unless they contain a port. */
  readonly flags?: readonly string[];
  /** Variables to add to the environment, which is the caller's without `INGEST_*`, in the time zone UTC. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Time limit of the ready line. */
  readonly deadlineMs?: number;
  /** A prefix of the command, for example `taskset -c 0`. */
  readonly wrapper?: readonly string[];
  /** Whether the child has a process group of its own, which a signal of the terminal does not reach. */
  readonly ownGroup?: boolean;
  /** Whether the child's standard input stays open until `endInput`; otherwise it is at its end. */
  readonly hasInput?: boolean;
}

export interface RunningServer {
  readonly target: Target;
  readonly url: string;
  readonly port: number;
  /** The server's own pid, from its ready line. */
  readonly pid: number;
  readonly ready: ReadyLine;
  /** `performance.now()` right before spawning the child, for measuring a start. */
  readonly spawned_at_ms: number;
  /** Resolves when the child has exited, for any reason. */
  readonly exited: Promise<Exit>;
  /** All of stdout and stderr so far. */
  stdout(): string;
  stderr(): string;
  /** Sends SIGTERM and waits for the exit; after ten seconds SIGKILL and an error. */
  stop(): Promise<Exit>;
  /** Sends SIGKILL, which acts like a crash. */
  kill(): Promise<Exit>;
  signal(name: NodeJS.Signals): void;
  /** Writes to the child's standard input, if it has one. */
  input(content: string | Uint8Array): void;
  /** Number of written bytes that the child's standard input has not taken. */
  unsentInput(): number;
  /** Stops reading the child's stdout until `readOutput`, so that the pipe fills. */
  holdOutput(): void;
  readOutput(): void;
  /** Closes the child's standard input. */
  endInput(): void;
}

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** The child ended, or printed no ready line in time. */
export class StartError extends Error {
  readonly exit: Exit | undefined;
  readonly stdout: string;
  readonly stderr: string;
  constructor(message: string, exit: Exit | undefined, stdout: string, stderr: string) {
    super(message);
    this.name = 'StartError';
    this.exit = exit;
    this.stdout = stdout;
    this.stderr = stderr;
  }
}

/** Starts a server and resolves once it listens. Rejects with a `StartError` if the child ends first. */
export async function startServer(
  name: TargetName,
  options: StartOptions = {},
  program: Pick<Target, 'command' | 'args'> = TARGETS[name],
): Promise<RunningServer> {
  const flags = [...(options.flags ?? [])];
  if (!flags.some((flag) => flag === '--port' || flag.startsWith('--port='))) flags.push('--port', '0');
  const command = [...(options.wrapper ?? []), program.command, ...program.args, ...flags];
  const spawned_at_ms = performance.now();
  const child = spawn(command[0]!, command.slice(1), {
    cwd: options.cwd,
    detached: options.ownGroup ?? false,
    env: { ...cleanEnvironment(), ...options.env },
    stdio: [options.hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  // A server that ends may leave input unread, so writing to it may fail.
  child.stdin?.on('error', () => {});
  child.once('exit', () => children.delete(child));
  const out = { stdout: '', stderr: '' };
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    out.stdout += text;
  });
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    out.stderr += text;
  });
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', () => resolve({ code: null, signal: null }));
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const ready = await readyLine(child, out, exited, options.deadlineMs ?? 15_000);
  return {
    target: TARGETS[name],
    url: ready.url,
    port: Number(new URL(ready.url).port),
    pid: ready.pid,
    ready,
    spawned_at_ms,
    exited,
    stdout: () => out.stdout,
    stderr: () => out.stderr,
    stop: () => end(child, 'SIGTERM', exited),
    kill: () => end(child, 'SIGKILL', exited),
    signal: (signal) => void child.kill(signal),
    input: (content) => void child.stdin?.write(content),
    unsentInput: () => child.stdin?.writableLength ?? 0,
    holdOutput: () => void child.stdout!.pause(),
    readOutput: () => void child.stdout!.resume(),
    endInput: () => void child.stdin?.end(),
  };
}

async function readyLine(
  child: ChildProcess,
  out: { stdout: string; stderr: string },
  exited: Promise<Exit>,
  deadlineMs: number,
): Promise<ReadyLine> {
  let timer: NodeJS.Timeout | undefined;
  const line = new Promise<string>((resolve) => {
    const look = () => {
      const at = out.stdout.indexOf('\n');
      if (at < 0) return;
      child.stdout?.off('data', look);
      resolve(out.stdout.slice(0, at));
    };
    child.stdout?.on('data', look);
    look();
  });
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), deadlineMs);
  });
  const first = await Promise.race([line, late, exited]);
  clearTimeout(timer);
  if (typeof first === 'string' && first !== 'late') return JSON.parse(first) as ReadyLine;
  if (first === 'late') {
    child.kill('SIGKILL');
    throw new StartError(`not ready within ${deadlineMs} ms`, undefined, out.stdout, out.stderr);
  }
  const exit = first as Exit;
  const how = exit.signal ?? `code ${exit.code}`;
  const text = `ended before it was ready (${how})\n${reasonFirst(out.stderr)}`;
  throw new StartError(text, exit, out.stdout, out.stderr);
}

/** Puts the lines for people before those of the log, because a summary of a test run shows only the first few. */
function reasonFirst(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line !== '');
  const isLog = (line: string): boolean => line.startsWith('{');
  return [...lines.filter((line) => !isLog(line)), ...lines.filter(isLog)].join('\n');
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL', exited: Promise<Exit>): Promise<Exit> {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), 10_000);
  });
  const first = await Promise.race([exited, late]);
  clearTimeout(timer);
  if (first !== 'late') return first;
  child.kill('SIGKILL');
  await exited;
  throw new Error(`pid ${child.pid} did not end within 10 s of ${signal}`);
}

/**
 * Returns the environment without the caller's `INGEST_*`, which a server under test would refuse. Its time zone is
 * UTC, so that no test depends on the machine's.
 */
export function cleanEnvironment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [key, value] of Object.entries(process.env)) {
    if (value !== undefined && !key.startsWith('INGEST_')) env[key] = value;
  }
  return { ...env, TZ: 'UTC' };
}

/** Returns the end of a log, for a report. */
export function tail(log: string): string[] {
  return log.trim().split('\n').slice(-10);
}
