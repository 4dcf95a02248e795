/** The kinds of faults: what each does to which process, and how it ends. */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsNode } from '@twin-ingest/testkit/nats/node.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';
import type { Board } from '../board.ts';
import { type Member, STREAM } from '../member.ts';
import type { FakeClock } from './fake-clock.ts';
import { cutFromMembers, cutFromPeers, cutOff } from './network.ts';

export interface Field {
  readonly board: Board;
  readonly random: Random;
  readonly clock: FakeClock | undefined;
}

/** A fault that goes on. */
export interface Injected {
  /** The process that it concerns. */
  readonly on: string;
  readonly heal: () => Promise<void>;
}

export interface FaultKind {
  readonly name: string;
  /** What the machine must allow. */
  readonly needs?: 'isolation' | 'faketime';
  /** Shortest and longest time until it is healed, in milliseconds. */
  readonly holdMs: readonly [number, number];
  readonly inject: (field: Field) => Promise<Injected>;
}

/** The node whose disk is small. */
export const SMALL_DISK = 2;
const BALLAST = 'ballast';
const BALLAST_STEP = 1 << 20;
const LARGEST_JUMP_S = 7_200;
/**
 * A member sees its clock after two seconds at the latest, since the library counts the age of its file in whole seconds.
 * Until then the member takes active sessions for idle ones, or the other way.
 */
const CLOCK_SEEN_MS = 2_500;

export const FAULT_KINDS: readonly FaultKind[] = [
  member('twin-kill', [200, 2_000], async (one) => {
    await one.kill();
    return () => one.start();
  }),
  member('twin-stop', [500, 4_000], async (one) => {
    one.pause();
    return async () => one.resume();
  }),
  member('twin-swap', [0, 1_000], async (one) => {
    await one.kill();
    return () => one.start(one.target === 'rs' ? 'ts' : 'rs');
  }),
  member('twin-empty', [0, 1_000], async (one) => {
    await one.kill();
    one.empty();
    return () => one.start();
  }),
  {
    ...member('twin-clock', [2_500, 4_000], async (one, { random, clock }) => {
      const seconds = 1 + random.below(LARGEST_JUMP_S);
      clock!.set(one.name, 0);
      await one.kill();
      await one.start(one.target, clock!.envOf(one.name));
      clock!.set(one.name, random.chance(0.5) ? seconds : -seconds);
      return async () => {
        clock!.set(one.name, 0);
        await sleep(CLOCK_SEEN_MS);
      };
    }),
    needs: 'faketime',
  },
  node('nats-kill-leader', [500, 6_000], leader, killed),
  node('nats-kill-follower', [500, 4_000], follower, killed),
  node('nats-stop-leader', [500, 8_000], leader, stopped),
  node('nats-stop-follower', [500, 5_000], follower, stopped),
  node('nats-quorum', [500, 4_000], leader, async (one, field) => {
    const other = await follower(field);
    await Promise.all([one.kill(), other.kill()]);
    return async () => void (await Promise.all([one.start(), other.start()]));
  }),
  {
    ...node('nats-disk', [1_500, 4_000], async ({ board }) => board.nats.nodes[SMALL_DISK]!, filled),
    needs: 'isolation',
  },
  {
    ...node('partition-node', [1_000, 8_000], any, async ({ place }) => {
      cutOff(place, true);
      return async () => cutOff(place, false);
    }),
    needs: 'isolation',
  },
  {
    ...node('partition-peers', [1_000, 8_000], any, async ({ place }, { board }) => {
      const places = board.nats.nodes.map((one) => one.place);
      cutFromPeers(place, places, true);
      return async () => cutFromPeers(place, places, false);
    }),
    needs: 'isolation',
  },
  {
    ...node('partition-members', [1_000, 5_000], any, async ({ place }) => {
      cutFromMembers(place, true);
      return async () => cutFromMembers(place, false);
    }),
    needs: 'isolation',
  },
];

type Heal = () => Promise<void>;

/** A fault of a member that is chosen at random. */
function member(
  name: string,
  holdMs: readonly [number, number],
  begin: (one: Member, field: Field) => Promise<Heal>,
): FaultKind {
  const inject = async (field: Field): Promise<Injected> => {
    const one = field.random.pick(field.board.members);
    const runtime = one.target;
    const heal = await begin(one, field);
    return { on: `${one.name} (${runtime})`, heal };
  };
  return { name, holdMs, inject };
}

/** A fault of a node of NATS. */
function node(
  name: string,
  holdMs: readonly [number, number],
  choose: (field: Field) => Promise<NatsNode>,
  begin: (one: NatsNode, field: Field) => Promise<Heal>,
): FaultKind {
  const inject = async (field: Field): Promise<Injected> => {
    const one = await choose(field);
    const heal = await begin(one, field);
    return { on: one.place.name, heal };
  };
  return { name, holdMs, inject };
}

function leader({ board }: Field): Promise<NatsNode> {
  return board.nats.untilLed(STREAM);
}

async function follower(field: Field): Promise<NatsNode> {
  const first = await leader(field);
  return field.random.pick(field.board.nats.nodes.filter((one) => one !== first));
}

/** The leader in half of all cases. */
function any(field: Field): Promise<NatsNode> {
  return field.random.chance(0.5) ? leader(field) : follower(field);
}

async function killed(one: NatsNode): Promise<Heal> {
  await one.kill();
  return () => one.start();
}

async function stopped(one: NatsNode): Promise<Heal> {
  one.pause();
  return async () => one.resume();
}

/** Fills the disk of a node. A node that met a full disk needs a new start. */
async function filled(one: NatsNode): Promise<Heal> {
  const path = join(one.place.folder, BALLAST);
  const file = openSync(path, 'w', 0o600);
  const step = Buffer.alloc(BALLAST_STEP);
  try {
    for (let size = BALLAST_STEP; size > 0; ) {
      try {
        if (writeSync(file, step, 0, size) < size) size >>= 1;
      } catch {
        size >>= 1;
      }
    }
  } finally {
    closeSync(file);
  }
  return async () => {
    rmSync(path);
    await one.kill();
    await sleep(100);
    await one.start();
  };
}
