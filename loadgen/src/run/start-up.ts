/**
 * Measures the time a server takes to start, from the spawn to the first 200 of `/readyz`. Its database is new.
 *
 * The program is started directly, without a shell or a package manager. Its ready line states the port. From then on,
 * a small process polls `/readyz` without a pause. Invariants: no preparation before the spawn counts. The first start
 * of each server does not count, since program text and HTTP client are cold only then.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { startupOf } from '../analyse/measurement.ts';
import type { Durability } from '../plan/options.ts';
import { inTurn } from '../plan/turns.ts';
import type { RawMeasurement } from '../result/result.ts';
import { Helper } from './helper.ts';
import { type Launch, startOptions } from './host.ts';
import type { Progress } from './progress.ts';
import type { Command, Reply } from './start-process.ts';

export interface Starting {
  readonly targets: readonly TargetName[];
  readonly launch: Launch;
  readonly durability: Durability;
  readonly progress: Progress;
}

/** The starts of a run, which are distributed over its cycles. */
export class Starts {
  readonly #how: Starting;
  readonly #order: TargetName[] = [];
  readonly #times: Map<TargetName, number[]>;

  constructor(how: Starting) {
    this.#how = how;
    this.#times = new Map(how.targets.map((name) => [name, []]));
  }

  /** Measures `count` starts of each server in the order A B B A, so that a warm file cache favours neither server. */
  async run(count: number): Promise<void> {
    if (count === 0) return;
    const { targets, launch, progress } = this.#how;
    const order = inTurn(targets, count);
    const helper = new Helper<Command, Reply>({
      name: 'what measures starts',
      program: new URL('./start-process.ts', import.meta.url),
      placement: launch.placement,
      lifetime: launch.lifetime,
      code: 'server_failed',
    });
    const work = async (at: (value: number) => void) => {
      for (const name of targets) await this.#start(helper, name);
      for (const [i, name] of order.entries()) {
        this.#times.get(name)!.push(await this.#start(helper, name));
        this.#order.push(name);
        at(i + 1);
      }
      return `${count} a server`;
    };
    await progress.step('starts', order.length, work).finally(() => helper.close());
  }

  measurement(): RawMeasurement {
    return startupOf(this.#times, this.#order);
  }

  /** Measures one start in milliseconds. */
  async #start(helper: Helper<Command, Reply>, name: TargetName): Promise<number> {
    const { launch, durability } = this.#how;
    const folder = await launch.lifetime.temporaryFolder();
    const options = startOptions(launch, folder.path, ['--durability', durability]);
    const { command, args } = launch.contenders.targets[name];
    const { taken_ms } = await helper.ask({ name, options, program: { command, args } }, 'started');
    await folder.release();
    return taken_ms;
  }
}
