/**
 * Runs the real comparison with fake servers. `FAKE_FAULTS=rs:lose-one` makes one of them faulty, and
 * `generator:saturated` the closed-loop generator. `FAKE_CHECKOUT` is the checkout in which it writes.
 */
import { compareCommand } from '../src/cli/compare-command.ts';
import type { Contenders } from '../src/run/contenders.ts';
import { fakeTargets } from './fake-targets.ts';

const { FAKE_FAULTS = '', FAKE_CHECKOUT } = process.env;
const targets = fakeTargets(FAKE_FAULTS);
const saturated = new URL('./saturated-main.ts', import.meta.url);
const contenders: Contenders = {
  targets,
  plain: targets,
  // The fake server has no database code of its own to compare with.
  ceilings: null,
  closedLoopProgram: FAKE_FAULTS.includes('generator:saturated') ? saturated : undefined,
  checkout: FAKE_CHECKOUT!,
};

process.exitCode = await compareCommand(process.argv.slice(2), contenders);
