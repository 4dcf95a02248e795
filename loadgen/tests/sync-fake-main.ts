/**
 * Runs `bench:sync` with fake servers. `FAKE_FAULTS=rs:silent` makes a server faulty. With `FAKE_FAULTS=client:older` the
 * client is faulty: after each state it applies an older one. `FAKE_CHECKOUT` is the checkout in which it writes.
 */
import { runSuite } from '../src/cli/run-suite.ts';
import { REAL_CONTENDERS } from '../src/run/contenders.ts';
import { runSync, SYNC } from '../src/sync/command.ts';
import { type Follow, STRATEGIES } from '../src/sync/strategies.ts';
import { fakeTargets } from './fake-targets.ts';

/** Applies the first state again after each later one. */
const older: Follow = async (options) => {
  const { journal, stop } = await STRATEGIES.sync(options);
  const { epoch, newest } = journal;
  const timer = setInterval(() => {
    if (journal.newest > newest) journal.note(epoch!, String(newest));
  }, 1);
  options.lifetime.add(async () => clearInterval(timer));
  return { journal, stop };
};

const { FAKE_FAULTS: faults, FAKE_CHECKOUT: checkout = REAL_CONTENDERS.checkout } = process.env;
const contenders = { ...REAL_CONTENDERS, checkout, targets: fakeTargets(faults), ceilings: null };
const strategies = faults === 'client:older' ? { ...STRATEGIES, sync: older } : STRATEGIES;
process.exitCode = await runSuite(SYNC, (...given) => runSync(...given, strategies), contenders);
