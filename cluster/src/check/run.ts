/** Runs faults one after the other while events are sent, and checks all copies after each. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { type Random, seededRandom, shuffle } from '@twin-ingest/testkit/random.ts';
import type { Board } from '../board.ts';
import { Copies } from './copies.ts';
import type { FakeClock } from './fake-clock.ts';
import type { FaultKind } from './faults.ts';
import type { History } from './history.ts';
import { Traffic } from './traffic.ts';

export interface Plan {
  readonly faults: number;
  readonly seed: number;
  readonly minutes: number;
  readonly kinds: readonly FaultKind[];
}

export interface Surroundings {
  readonly board: Board;
  readonly clock: FakeClock | undefined;
  readonly history: History;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Time of load before a fault and after its healing. */
const CALM_MS = 300;
/** How long a member may take until it accepts events again. */
const RECOVER_MS = 60_000;
const RETRY_MS = 100;
const STREAM_MS = 30_000;

/** Runs the faults; the violations are those of the history. */
export async function runFaults(plan: Plan, surroundings: Surroundings): Promise<void> {
  const { board, history, signal, say, clock } = surroundings;
  const random = seededRandom(plan.seed);
  const traffic = new Traffic(board.members, history, () => seededRandom(random.below(2 ** 31)));
  const copies = new Copies(board.members, history, traffic.uploader);
  history.add({
    kind: 'begin',
    seed: plan.seed,
    faults: plan.faults,
    members: board.members.map(({ name }) => name),
  });
  const end = performance.now() + plan.minutes * 60_000;
  traffic.start();
  try {
    for (const [index, kind] of dealt(plan, random).entries()) {
      if (performance.now() > end || signal.aborted) break;
      traffic.send();
      await sleep(CALM_MS);
      const { on, heal } = await kind.inject({ board, random, clock });
      history.add({ kind: 'fault', fault: kind.name, on });
      const [least, most] = kind.holdMs;
      const holdMs = least + random.below(most - least);
      await sleep(holdMs);
      await heal();
      const recoveredMs = await untilAccepted(board, traffic, index);
      history.add({ kind: 'healed', fault: kind.name, recovered_ms: Math.round(recoveredMs) });
      say(
        `${String(index + 1).padStart(4)}  ${kind.name.padEnd(18)} ${on.padEnd(13)} for ${holdMs} ms, accepting after ${recoveredMs.toFixed(0)} ms`,
      );
      await sleep(CALM_MS);
      await check(traffic, copies, false);
    }
    await check(traffic, copies, true);
  } finally {
    await traffic.stop();
    copies.close();
  }
}

/** Deals the kinds like cards, so that each comes equally often. */
function dealt({ faults, kinds }: Plan, random: Random): FaultKind[] {
  const cards: FaultKind[] = [];
  while (cards.length < faults) cards.push(...shuffle(random, [...kinds]));
  return cards.slice(0, faults);
}

async function check(traffic: Traffic, copies: Copies, isWhole: boolean): Promise<void> {
  await traffic.pause();
  const newest = await copies.check(isWhole);
  if (newest === undefined) return;
  // The judge reports what the stream has not shown by then.
  await traffic.follower.reached(newest, STREAM_MS);
  copies.confirm();
}

/** Waits until every member has accepted an event; returns how long that took. */
async function untilAccepted({ members }: Board, traffic: Traffic, index: number): Promise<number> {
  const begun = performance.now();
  await Promise.all(
    members.map(async (member) => {
      const client = new ApiClient(member.port);
      const batch = [`accepted-${index}-${member.name}`];
      let outcome = await traffic.attempts.send(client, member, batch);
      while (outcome === 'unknown' && performance.now() - begun < RECOVER_MS) {
        await sleep(RETRY_MS);
        outcome = await traffic.attempts.send(client, member, batch);
      }
      client.close();
      if (outcome === 'unknown') traffic.attempts.stuck(member, `no event accepted within ${RECOVER_MS} ms`);
    }),
  );
  return performance.now() - begun;
}
