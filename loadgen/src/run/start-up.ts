/**
 * Measures the time a server takes to start, from the spawn to the first 200 of `/readyz`. Its database is new.
 *
 * The program is started directly, without a shell or a package manager. Its ready line states the port. From then on,
 * a small process polls `/readyz` without a pause. Invariants: no preparation before the spawn counts. The first start
 * of each server does not count, since program text and HTTP client are cold only then.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { startupOf } from '../analyse/measurement.ts';
import type { Options } from '../plan/spec.ts';
import { inTurn } from '../plan/turns.ts';
import type { RawMeasurement } from '../result/result.ts';
import { Helper } from './helper.ts';
import { type Launch, startOptions } from './host.ts';
import type { Progress } from './progress.ts';
import type { StartOrders } from './start-process.ts';

export function createStarts(launch: Launch, { targets, durability }: Options, progress: Progress) {
  const { contenders, placement, lifetime } = launch;
  const all: TargetName[] = [];
  const times = new Map(targets.map((name) => [name, [] as number[]]));

  async function start(helper: Helper<StartOrders>, name: TargetName): Promise<number> {
    const folder = await lifetime.temporaryFolder();
    const options = startOptions(launch, folder.path, ['--durability', durability]);
    const { command, args } = contenders.targets[name];
    const taken_ms = await helper.ask('start', name, options, { command, args });
    await folder.release();
    return taken_ms;
  }

  return {
    /** Measures `count` starts of each server in the order A B B A, so that a warm file cache favours neither server. */
    async run(count: number): Promise<void> {
      if (count === 0) return;
      const order = inTurn(targets, count);
      const program = new URL('./start-process.ts', import.meta.url);
      const name = 'what measures starts';
      const helper = new Helper<StartOrders>({ name, program, placement, lifetime, code: 'server_failed' });
      const work = async (at: (value: number) => void) => {
        for (const name of targets) await start(helper, name);
        for (const [i, name] of order.entries()) {
          times.get(name)!.push(await start(helper, name));
          all.push(name);
          at(i + 1);
        }
        return `${count} a server`;
      };
      await progress.step('starts', order.length, work).finally(() => helper.close());
    },
    measurement: (): RawMeasurement => startupOf(times, all),
  };
}
