/**
 * Generates a day of several agents: the sessions of the past hours, and endless sessions from now on.
 *
 * Invariant: the same PRNG seed gives the same day.
 */
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import type { Action, AgentName } from './steps.ts';
import { TASKS } from './tasks.ts';
import { merged, type Timed } from './timeline.ts';
import { sessionOf } from './work.ts';

/** Length of the past part, in milliseconds. */
export const PAST_MS = 9 * 3_600_000;
const SESSIONS = 20;
/** Agents that work concurrently. */
const LANES: readonly AgentName[] = ['claude_code', 'codex', 'gemini_cli', 'claude_code'];

/** Returns the past hours, from 0 to `PAST_MS`. The last session of Claude Code still waits for a permission. */
export function pastOf(seed: number): readonly Timed<Action>[] {
  const random = seededRandom(seed);
  const sessions = Array.from({ length: SESSIONS }, (_, i) => {
    const from_ms = Math.round((PAST_MS * i) / SESSIONS);
    return [
      ...sessionOf({ agent: LANES[i % LANES.length]!, task: TASKS[i % TASKS.length]!, from_ms, random }),
    ];
  });
  const from_ms = PAST_MS - 1_800_000;
  for (;;) {
    const waiting = [
      ...sessionOf({ agent: 'claude_code', task: TASKS[1]!, from_ms, random, isLeftWaiting: true }),
    ];
    if (waiting.at(-1)!.item.step.kind !== 'ask') continue;
    return [...sessions, waiting].flat().sort((a, b) => a.at_ms - b.at_ms);
  }
}

/** Returns the sessions after the past hours, from 0 on. */
export function presentOf(seed: number): Generator<Timed<Action>> {
  return merged(LANES.map((agent, lane) => laneOf(agent, lane, seed)));
}

function* laneOf(agent: AgentName, lane: number, seed: number): Generator<Timed<Action>> {
  const random = seededRandom(seed * 1_000 + lane + 1);
  // The first sessions start at once, so that the dashboard has content.
  let from_ms = lane * 700;
  for (let number = lane; ; number += LANES.length) {
    const task = TASKS[number % TASKS.length]!;
    for (const timed of sessionOf({ agent, task, from_ms, random })) {
      yield timed;
      from_ms = timed.at_ms;
    }
    from_ms += 2_000 + random.below(13_000);
  }
}
