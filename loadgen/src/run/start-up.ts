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
  /** Number of counted starts per server. */
  readonly count: number;
  readonly progress: Progress;
}

export interface Starts {
  /** Server of each counted start, in order. */
  readonly order: readonly TargetName[];
  /** Milliseconds of each counted start, in order. */
  readonly times: ReadonlyMap<TargetName, readonly number[]>;
}

/** Collects the starts of a run, which are distributed over its cycles. */
export class StartsOfCycles {
  readonly #how: Omit<Starting, 'count'>;
  readonly #order: TargetName[] = [];
  readonly #times: Map<TargetName, number[]>;

  constructor(how: Omit<Starting, 'count'>) {
    this.#how = how;
    this.#times = new Map(how.targets.map((name) => [name, []]));
  }

  async run(count: number): Promise<void> {
    if (count === 0) return;
    const { order, times } = await measureStarts({ ...this.#how, count });
    this.#order.push(...order);
    for (const [name, taken] of times) this.#times.get(name)!.push(...taken);
  }

  measurement(): RawMeasurement {
    return startupOf(this.#times, this.#order);
  }
}

/** Measures starts in the order A B B A, so that a warm file cache favours neither server. */
export async function measureStarts(starting: Starting): Promise<Starts> {
  const { targets, count, progress } = starting;
  const order = inTurn(targets, count);
  const times = new Map<TargetName, number[]>(targets.map((name) => [name, []]));
  const helper = new Helper<Command, Reply>({
    name: 'what measures starts',
    program: new URL('./start-process.ts', import.meta.url),
    placement: starting.launch.placement,
    lifetime: starting.launch.lifetime,
    code: 'server_failed',
  });
  const one = (name: TargetName) => measureStart(helper, name, starting);
  await progress
    .step('starts', order.length, async (at) => {
      for (const name of targets) await one(name);
      for (const [i, name] of order.entries()) {
        times.get(name)!.push(await one(name));
        at(i + 1);
      }
      return `${count} a server`;
    })
    .finally(() => helper.close());
  return { order, times };
}

/** Measures one start in milliseconds. */
async function measureStart(
  helper: Helper<Command, Reply>,
  name: TargetName,
  { launch: how, durability }: Starting,
): Promise<number> {
  const folder = await how.lifetime.temporaryFolder();
  const options = startOptions(how, folder.path, ['--durability', durability]);
  const { command, args } = how.contenders.targets[name];
  const { taken_ms } = await helper.ask({ name, options, program: { command, args } }, 'started');
  await folder.release();
  return taken_ms;
}
