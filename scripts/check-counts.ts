/**
 * `pnpm counts:check`: counts the cost of an event in each server, in figures that do not depend on other load.
 *
 * It counts instructions (server-rs), and system calls, log bytes and pages of both stores. It fails if a count exceeds
 * the bounds of `scripts/counts.json`. With `--update` it writes the counts to that file.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CEILING_PROGRAMS } from '@twin-ingest/loadgen/run/contenders.ts';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { buildStale } from '@twin-ingest/testkit/servers/build.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { type Bulk, writeBulk } from './counts/bulk.ts';
import { countFileCalls } from './counts/file-calls.ts';
import { countInstructions } from './counts/instructions.ts';

const BOUND_FILE = fileURLToPath(new URL('counts.json', import.meta.url));
const DIGITS = 4;
/** The log of these events is well below the length that triggers a checkpoint, so that calls and pages are exact. */
const LARGE_GROUPS = { events: 8_000, groupEvents: 500 };
/** Groups at a user's load. Checkpoints run meanwhile, so only instructions and log bytes count. */
const SMALL_GROUPS = [
  { events: 8_000, groupEvents: 50 },
  { events: 2_000, groupEvents: 1 },
];

interface Bounds {
  /**
   * Allowed excess as a share. Compilers differ slightly, and server-rs does not always write a page at the same time.
   */
  readonly tolerance: number;
  /** Counts per event when the bounds were set. */
  readonly per_event: Readonly<Record<string, number>>;
}

async function count(folder: string): Promise<Record<string, number>> {
  const large = await writeBulk(folder, LARGE_GROUPS.events, LARGE_GROUPS.groupEvents);
  const small: Bulk[] = [];
  for (const { events, groupEvents } of SMALL_GROUPS)
    small.push(await writeBulk(folder, events, groupEvents));
  // Load changes no count, so valgrind and strace run next to each other.
  const [instructions, calls] = await Promise.all([
    inTurn([large, ...small], async (bulk) => await countInstructions(folder, bulk)),
    inTurn([large, ...small], async (bulk) => ({
      rs: await countFileCalls('rs', folder, bulk),
      ts: await countFileCalls('ts', folder, bulk),
    })),
  ]);
  const { rs, ts } = calls[0]!;
  const counts: Record<string, number> = {
    rs_instructions: instructions[0]!,
    rs_file_calls: rs.calls,
    ts_file_calls: ts.calls,
    rs_log_bytes: rs.log_bytes,
    ts_log_bytes: ts.log_bytes,
    rs_pages: rs.pages,
    ts_pages: ts.pages,
  };
  for (const [index, { groupEvents }] of SMALL_GROUPS.entries()) {
    counts[`rs_instructions_groups_of_${groupEvents}`] = instructions[index + 1]!;
    for (const target of TARGET_NAMES)
      counts[`${target}_log_bytes_groups_of_${groupEvents}`] = calls[index + 1]![target].log_bytes;
  }
  return counts;
}

/** Returns the results of the works, which run one after the other. */
async function inTurn<T>(bulks: readonly Bulk[], work: (bulk: Bulk) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (const bulk of bulks) results.push(await work(bulk));
  return results;
}

answerHelp(`Usage: pnpm counts:check [--update]

Counts instructions, system calls, log bytes and pages per event with valgrind and strace. Builds what it needs first.

  --update  write the counts to scripts/counts.json instead of comparing

Exit code: 0 within the bounds, 1 above one of them or a program cannot run, 2 a wrong flag.
`);
const argv = process.argv.slice(2);
if (argv.some((argument) => argument !== '--update')) {
  process.stderr.write('check-counts: --update is the only flag\n');
  process.exitCode = 2;
} else {
  const folder = mkdtempSync(join(tmpdir(), 'counts-'));
  const lifetime = new Lifetime();
  try {
    // Cargo always runs, since only cargo can detect whether the program matches the sources.
    const program = { ...CEILING_PROGRAMS.rs, hasOtherBuilds: true };
    const say = (line: string) => void process.stderr.write(`${line}\n`);
    await buildStale([{ name: 'rs', program }], { lifetime, build: true, say });
    const counted = await count(folder);
    const bounds = JSON.parse(readFileSync(BOUND_FILE, 'utf8')) as Bounds;
    if (argv.includes('--update')) writeBounds({ ...bounds, per_event: counted });
    else if (!report(counted, bounds)) process.exitCode = 1;
  } catch (error) {
    process.stderr.write(`check-counts: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    await lifetime.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeBounds({ per_event, ...bounds }: Bounds): void {
  const shown = Object.fromEntries(Object.entries(per_event).map(([name, value]) => [name, rounded(value)]));
  writeFileSync(BOUND_FILE, `${JSON.stringify({ ...bounds, per_event: shown }, null, 2)}\n`);
  process.stdout.write(`${BOUND_FILE}: written\n`);
}

function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS));
}

/** Prints each count with its bound. Returns whether all counts are within their bounds. */
function report(counted: Readonly<Record<string, number>>, { tolerance, per_event }: Bounds): boolean {
  let within = true;
  for (const [name, value] of Object.entries(counted)) {
    const bound = per_event[name];
    if (bound === undefined) throw new Error(`counts.json has no bound of ${name}`);
    const most = bound * (1 + tolerance);
    const holds = value <= most;
    within &&= holds;
    const line = `${name}: ${rounded(value)} per event, at most ${rounded(most)}`;
    process.stdout.write(`${line}${holds ? '' : ', TOO MANY'}\n`);
  }
  return within;
}
