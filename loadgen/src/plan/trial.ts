/**
 * What is asked before the rounds of a closed loop, to say how many events make a round.
 *
 * What must stay true: one slow minute does not decide, since the rounds behind it would be too short (decision 29).
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';

/** Events/s of the faster server: the quicker of its two trials, each server having had one to say which it is. */
export async function fasterPace(
  targets: readonly TargetName[],
  trial: (target: TargetName) => Promise<number>,
): Promise<number> {
  let faster = targets[0]!;
  let pace = 0;
  for (const target of targets) {
    const found = await trial(target);
    if (found > pace) [faster, pace] = [target, found];
  }
  return Math.max(pace, await trial(faster));
}
