/**
 * Counts the instructions that server-rs spends on an event, from its body to its commit, by valgrind's callgrind over
 * a fixed bulk. The figure does not depend on how busy the machine is.
 *
 *     node scripts/check-instructions.ts [--update]
 *
 * Fails when there are more than `server-rs/instructions.json` allows; with `--update` writes what was counted there.
 * Invariant: the bulk is the same in every run, and too small to cause a checkpoint.
 * Exit 1 when a bound is broken or callgrind cannot run, 2 for a wrong flag.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeGroups } from '@twin-ingest/loadgen/ceilings/groups.ts';
import { CEILING_PROGRAMS } from '@twin-ingest/loadgen/ceilings/programs.ts';
import { loadPool } from '@twin-ingest/loadgen/load/pool.ts';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { buildStale } from '@twin-ingest/testkit/servers/build.ts';

const BOUND_FILE = fileURLToPath(new URL('../server-rs/instructions.json', import.meta.url));
/** Well below the length of log that triggers a checkpoint. */
const EVENTS = 8_000;
const GROUP_EVENTS = 500;

interface Bound {
  /** The count at the time of the bound. */
  readonly instructions_per_event: number;
  /** Allowed excess as a share: compilers differ slightly. */
  readonly tolerance: number;
}

async function count(folder: string): Promise<number> {
  const groups = join(folder, 'groups.ndjson');
  const pool = await loadPool({ corpus: undefined, payload: 'small', seed: 1, ids: 'random', most: EVENTS });
  await writeGroups(groups, pool, EVENTS, GROUP_EVENTS, new AbortController().signal);
  const { command } = CEILING_PROGRAMS.rs;
  const tool = ['--tool=callgrind', `--callgrind-out-file=${join(folder, 'callgrind.out')}`];
  const flags = ['--db', join(folder, 'events.db'), '--groups', groups, '--durability', 'process'];
  const { status, stderr, error } = spawnSync('valgrind', [...tool, command, ...flags], {
    encoding: 'utf8',
    maxBuffer: 1 << 24,
  });
  const counted = /Collected\s*:\s*(\d+)/.exec(stderr ?? '')?.[1];
  if (status === 0 && counted !== undefined) return Number(counted) / EVENTS;
  throw new Error(
    `callgrind did not run: ${error?.message ?? stderr.trim().split('\n').slice(-5).join('\n')}`,
  );
}

answerHelp(`Usage: pnpm rust:instructions [--update]

Builds the limit program of the Rust server and counts its instructions per event with valgrind.
--update writes the count to server-rs/instructions.json instead of comparing.

Exit code: 0 within the bound, 1 above it or valgrind cannot run, 2 a wrong flag.
`);
const argv = process.argv.slice(2);
if (argv.some((argument) => argument !== '--update')) {
  process.stderr.write('check-instructions: --update is the only flag\n');
  process.exitCode = 2;
} else {
  const folder = mkdtempSync(join(tmpdir(), 'instructions-'));
  const lifetime = new Lifetime();
  try {
    // Always builds, since only cargo knows whether the program matches the sources.
    const program = { ...CEILING_PROGRAMS.rs, hasOtherBuilds: true };
    const say = (line: string) => void process.stderr.write(`${line}\n`);
    await buildStale([{ name: 'rs', program }], { lifetime, build: true, say });
    const counted = Math.round(await count(folder));
    const bound = JSON.parse(readFileSync(BOUND_FILE, 'utf8')) as Bound;
    const most = Math.round(bound.instructions_per_event * (1 + bound.tolerance));
    if (argv.includes('--update')) {
      writeFileSync(
        BOUND_FILE,
        `${JSON.stringify({ ...bound, instructions_per_event: counted }, null, 2)}\n`,
      );
      process.stdout.write(`${counted} instructions an event are the new bound\n`);
    } else {
      process.stdout.write(`${counted} instructions an event, at most ${most}\n`);
      if (counted > most) process.exitCode = 1;
    }
  } catch (error) {
    process.stderr.write(`check-instructions: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    await lifetime.end();
    rmSync(folder, { recursive: true, force: true });
  }
}
