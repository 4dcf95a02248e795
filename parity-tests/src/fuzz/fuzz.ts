/** Runs random sessions until a time or a number of steps is over, and shrinks the first difference. */
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { kindOfDifference } from '../differential/compare.ts';
import { type Found, runSteps } from './run.ts';
import { randomSession } from './session.ts';
import { shrink } from './shrink.ts';
import type { Step } from './step.ts';
import { type Start, World } from './world.ts';

export interface FuzzOptions {
  readonly seed: number;
  /** Number of the first session. */
  readonly session: number;
  /** The run ends before the first session that begins later. */
  readonly milliseconds: number;
  readonly steps: number;
  /** Number of runs for shrinking. */
  readonly shrinkRuns: number;
}

export interface Difference {
  readonly session: number;
  /** The shrunk steps. The answers to the last one differ. */
  readonly steps: readonly Step[];
  readonly found: Found;
}

export interface Fuzzed {
  readonly sessions: number;
  readonly steps: number;
  readonly difference: Difference | undefined;
}

/** Steps of a session, few enough to shrink and many enough for restarts in most sessions. */
const SESSION_STEPS = 400;

/** `startIn` prepares a new folder for each world. */
export async function fuzz(startIn: () => Promise<Start>, options: FuzzOptions): Promise<Fuzzed> {
  const open = async (): Promise<World> => await World.open(await startIn());
  const begun = performance.now();
  let [sessions, steps] = [0, 0];
  while (performance.now() - begun < options.milliseconds && steps < options.steps) {
    const session = options.session + sessions;
    const random = seededRandom(options.seed * 1_000_003 + session);
    const wanted = randomSession(random, Math.min(SESSION_STEPS, options.steps - steps));
    const ran = await runSteps(open, wanted);
    sessions += 1;
    steps += ran.steps;
    if (ran.found === undefined) continue;
    const kind = kindOfDifference(ran.found.one, ran.found.other);
    let found = ran.found;
    const small = await shrink(
      wanted.slice(0, ran.found.at + 1),
      async (tried) => {
        const again = await runSteps(open, tried);
        const isSame =
          again.found?.at === tried.length - 1 &&
          kindOfDifference(again.found.one, again.found.other) === kind;
        if (isSame) found = again.found!;
        return isSame;
      },
      options.shrinkRuns,
    );
    return { sessions, steps, difference: { session, steps: small, found } };
  }
  return { sessions, steps, difference: undefined };
}
