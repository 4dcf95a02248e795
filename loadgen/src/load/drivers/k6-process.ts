/**
 * One run of k6 as a child process: its command line, its lines, and its CPU time while it sends.
 *
 * k6 ends with its parent: it writes a line for every answer, and SIGPIPE ends a Go program whose stdout is closed. CPU
 * time is read between the script's `ready` and `done`, so that the creation of virtual users does not count.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { K6Summary } from '../../../k6/job.ts';
import { BenchFailure } from '../../failure.ts';
import { createProbe } from '../../observe/probe.ts';
import { endProcess } from '../../run/helper.ts';

const SCRIPT = fileURLToPath(new URL('../../../k6/soak.ts', import.meta.url));

/** Number of last lines, other than answers, that a failure contains. */
const KEPT_LINES = 10;

export interface K6Run {
  readonly command: readonly string[];
  readonly jobFile: string;
  /** Handles a line. Returns whether it is the line of an answer. */
  onLine(line: string): boolean;
  onReady(): void;
}

export interface K6Outcome {
  readonly summary: K6Summary;
  readonly cpu_us: number;
}

/** Starts k6. `finished` rejects when k6 fails; `end` kills k6. */
export function startK6(run: K6Run): { readonly finished: Promise<K6Outcome>; end(): Promise<void> } {
  const [program, ...words] = run.command;
  const child = spawn(program!, [...words, ...FLAGS, '-e', `JOB=${run.jobFile}`, SCRIPT], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(),
  });
  const finished = follow(child, run);
  // After an interruption, the caller may never await this promise.
  finished.catch(() => undefined);
  return { finished, end: () => endProcess(child) };
}

const FLAGS = [
  'run',
  '--quiet',
  '--no-color',
  '--no-usage-report',
  // An empty address disables the REST server, whose fixed port could be in use.
  '--address=',
  '--log-output=stdout',
  '--log-format=raw',
];

/** Returns the environment without the caller's `K6_*` variables, any of which could change what is measured. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('K6_'));
  return {
    ...Object.fromEntries(own),
    K6_NO_USAGE_REPORT: 'true',
    // k6 must not search for extensions on the network; the script needs none.
    K6_AUTO_EXTENSION_RESOLUTION: 'false',
    // Hundreds of virtual users have a large heap that hardly changes. Fewer garbage collections save a fifth of k6's
    // CPU time, which the server needs on a small machine.
    GOGC: '400',
  };
}

/** Returns the CPU time of k6 so far, in microseconds. k6 is no Node process and cannot report it itself. */
async function cpuTime(pid: number): Promise<number> {
  const { cpu_us } = await createProbe()(pid);
  if (cpu_us === null)
    throw new BenchFailure('generator_failed', 'the system does not report the CPU time of k6');
  return cpu_us;
}

async function follow(child: ChildProcess, run: K6Run): Promise<K6Outcome> {
  const other: string[] = [];
  const keep = (line: string) => {
    if (line.trim() !== '' && other.push(line) > KEPT_LINES) other.shift();
  };
  const cpu: Promise<number>[] = [];
  let summary: K6Summary | undefined;
  const lines = createInterface({ input: child.stdout! });
  lines.on('line', (line) => {
    if (run.onLine(line)) return;
    if (line === 'ready' || line === 'done') {
      cpu.push(cpuTime(child.pid!));
      // Awaited below, after the end of k6. This handler prevents an unhandled rejection before that.
      cpu.at(-1)!.catch(() => undefined);
      if (line === 'ready') run.onReady();
    } else if (line.startsWith('summary ')) summary = JSON.parse(line.slice('summary '.length)) as K6Summary;
    else keep(line);
  });
  createInterface({ input: child.stderr! }).on('line', keep);
  const how = await ended(child);
  const [from, to] = await Promise.all(cpu);
  if (how !== 'code 0' || summary === undefined || from === undefined || to === undefined)
    throw new BenchFailure('generator_failed', `k6 ended before its summary or wrongly (${how})`, other);
  return { summary, cpu_us: to - from };
}

/** Returns how the child ended. `close` comes after the last byte of its streams. */
function ended(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('close', (code, signal) => resolve(signal ?? `code ${code}`));
    child.once('error', (error) =>
      reject(new BenchFailure('generator_failed', `k6 could not be started: ${error.message}`)),
    );
  });
}
