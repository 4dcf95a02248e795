/**
 * Runs the real comparison with fake servers. `FAKE_FAULTS=rs:lose-one` makes one of them faulty. `FAKE_SCRATCH` is the
 * folder of its raw data.
 */
import { pathToFileURL } from 'node:url';
import { compareCommand } from '../src/cli/compare-command.ts';
import type { Contenders } from '../src/run/contenders.ts';
import { fakeTargets } from './fake-targets.ts';

const targets = fakeTargets(process.env.FAKE_FAULTS);
const generator = process.env.FAKE_GENERATOR;
const contenders: Contenders = {
  targets,
  plain: targets,
  // The fake server has no database code of its own to compare with.
  ceilings: null,
  closedLoopProgram: generator === undefined ? undefined : pathToFileURL(generator),
  scratch: process.env.FAKE_SCRATCH!,
};

process.exitCode = await compareCommand(process.argv.slice(2), contenders);
