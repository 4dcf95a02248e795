/**
 * Runs the real comparison with fake servers. `FAKE_FAULTS=rs:lose-one` makes one of them faulty. `FAKE_SCRATCH` is the
 * folder of its raw data.
 */
import { fileURLToPath } from 'node:url';
import { TARGETS, type Target, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { compareCommand } from '../src/cli/compare-command.ts';
import type { Contenders } from '../src/run/contenders.ts';

const PROGRAM = fileURLToPath(new URL('./fake-server.ts', import.meta.url));
const faults = new Map(
  (process.env.FAKE_FAULTS ?? '').split(',').map((entry) => entry.split(':') as [string, string]),
);

/** Nothing has to be built: the program is its own artefact, and it has no sources. */
const fake = (name: TargetName): Target => ({
  ...TARGETS[name],
  command: process.execPath,
  args: [PROGRAM, `--fault=${faults.get(name) ?? 'none'}`],
  artefact: PROGRAM,
  sources: [],
  hasOtherBuilds: false,
});

const targets = { rs: fake('rs'), ts: fake('ts') };
const contenders: Contenders = {
  targets,
  plain: targets,
  // The fake server has no database code of its own to compare with.
  ceilings: null,
  closedLoopProgram: process.env.FAKE_GENERATOR,
  scratch: process.env.FAKE_SCRATCH!,
};

process.exitCode = await compareCommand(process.argv.slice(2), contenders);
