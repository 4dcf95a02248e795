/**
 * Runs `bench:sync` with fake servers. `FAKE_FAULTS=rs:silent` makes a server faulty. With `FAKE_FAULTS=client:older` the
 * client is faulty: after each state it applies an older one.
 */
import { syncCommand } from '../src/cli/sync-command.ts';
import { REAL_CONTENDERS } from '../src/run/contenders.ts';
import { type Follow, STRATEGIES } from '../src/sync/strategies.ts';
import { fakeTargets } from './fake-targets.ts';

/** Applies the first state again after each later one. */
const older: Follow = async (options) => {
  const following = await STRATEGIES.sync(options);
  const { journal } = following;
  const { epoch, newest } = journal;
  const timer = setInterval(() => {
    if (journal.newest > newest) journal.note(epoch!, String(newest));
  }, 1);
  const stop = options.lifetime.add(async () => {
    clearInterval(timer);
    await following.stop();
  });
  return { ...following, stop };
};

process.exitCode = await syncCommand(process.argv.slice(2), {
  contenders: { ...REAL_CONTENDERS, targets: fakeTargets(process.env.FAKE_FAULTS), ceilings: null },
  strategies: process.env.FAKE_FAULTS === 'client:older' ? { ...STRATEGIES, sync: older } : STRATEGIES,
});
