/**
 * Reads the CPU time of k6, which is not a Node process and cannot report it itself.
 *
 * The source is proc(5) where it exists. Elsewhere it is ps(1), with its own resolution.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { BenchFailure } from '../../failure.ts';
import { createProbe } from '../../observe/probe.ts';

const run = promisify(execFile);
const probe = createProbe();

/** Returns user and system time since the start of the process, in microseconds. */
export async function cpuTime(pid: number): Promise<number> {
  const { cpu_us } = await probe(pid);
  return cpu_us ?? cpuTimeOfPs(pid);
}

export async function cpuTimeOfPs(pid: number): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'time=', '-p', String(pid)]).catch((error: Error) => {
    throw new BenchFailure('generator_failed', `neither /proc nor ps says k6's CPU time: ${error.message}`);
  });
  return parsePsTime(stdout);
}

/** Parses `[[days-]hours:]minutes:seconds`, with a fraction on some systems, to microseconds. */
export function parsePsTime(text: string): number {
  const found = /^(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+(?:\.\d+)?)$/.exec(text.trim());
  if (found === null) throw new BenchFailure('generator_failed', `ps says no CPU time: ${text.trim()}`);
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1).map((part) => Number(part ?? 0));
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1e6;
}
