/**
 * A network for the nodes of NATS: each in a namespace of its own behind a bridge.
 *
 * The members and the checker stay outside of these namespaces, and reach the nodes by the bridge.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { NatsPlace } from '@twin-ingest/testkit/nats/node.ts';

const BRIDGE = 'board';
const NET = '10.77.0';
const GATE = `${NET}.254`;
const PORT = 4222;
const ROUTE_PORT = 6222;

/** Sets up the network and returns the places of the nodes. Needs an isolated process. */
export function setUpNetwork(folder: string, count: number): NatsPlace[] {
  ip('link set lo up');
  // `ip netns` keeps its names here.
  run('mount', ['-t', 'tmpfs', 'tmpfs', '/run']);
  ip(`link add name ${BRIDGE} type bridge`);
  ip(`addr add ${GATE}/24 dev ${BRIDGE}`);
  ip(`link set ${BRIDGE} up`);
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    const name = `nats-${number}`;
    ip(`netns add ${name}`);
    ip(`link add ${deviceOf(name)} type veth peer name eth0 netns ${name}`);
    ip(`link set ${deviceOf(name)} master ${BRIDGE} up`);
    ip(`-n ${name} addr add ${NET}.${number}/24 dev eth0`);
    ip(`-n ${name} link set eth0 up`);
    ip(`-n ${name} link set lo up`);
    const place = {
      name,
      host: `${NET}.${number}`,
      port: PORT,
      routePort: ROUTE_PORT,
      folder: join(folder, name),
    };
    return { ...place, wrapper: ['ip', 'netns', 'exec', name] };
  });
}

/** Cuts a node off from everything, or ends that. */
export function cutOff({ name }: NatsPlace, isCut: boolean): void {
  ip(`link set ${deviceOf(name)} ${isCut ? 'down' : 'up'}`);
}

/** Cuts a node off from its peers only, or ends that. */
export function cutFromPeers({ name, host }: NatsPlace, all: readonly NatsPlace[], isCut: boolean): void {
  for (const peer of all.filter((one) => one.host !== host))
    ip(`-n ${name} route ${isCut ? 'add' : 'del'} blackhole ${peer.host}/32`);
}

/** Cuts a node off from all members, or ends that. */
export function cutFromMembers({ host }: NatsPlace, isCut: boolean): void {
  ip(`route ${isCut ? 'add' : 'del'} blackhole ${host}/32`);
}

/** Gives a folder a disk of its own with this many bytes. */
export function mountSmallDisk(folder: string, bytes: number): void {
  mkdirSync(folder, { recursive: true });
  run('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
}

export function unmount(folder: string): void {
  run('umount', ['--lazy', folder]);
}

function deviceOf(name: string): string {
  return `to-${name}`;
}

function ip(words: string): void {
  run('ip', words.split(' '));
}

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
