/**
 * Generates requests with hostile values at every path that the mappings of agents read, made from their examples.
 *
 * Everything depends only on the PRNG seed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { type Random, shuffle } from '@twin-ingest/testkit/random.ts';
import AGENTS from '../../../contract/agents.json' with { type: 'json' };
import { type Hooks, hookTargets } from './hooks.ts';
import type { HostileRequest, Target } from './pool.ts';
import type { Example, Telemetry } from './records.ts';
import { attributeTargets, memberTargets } from './telemetry.ts';

interface Agent {
  readonly hooks?: Hooks;
  readonly telemetry?: Telemetry;
}

const AGENTS_OF_FILE = AGENTS as unknown as Readonly<Record<string, Agent>>;
const FOLDER = new URL('../../../contract/agents/', import.meta.url);

/** Yields requests without end: of each three one of hooks, one of attributes, and one of other members of OTLP. */
export function* hostileRequests(random: Random): Generator<HostileRequest, never> {
  const kinds = [hooksOf, attributesOf, membersOf].map((targets) => targetsInTurn(random, targets));
  for (let serial = 0; ; )
    for (const kind of kinds) {
      serial += 1;
      yield kind.next().value(random, serial);
    }
}

function* targetsInTurn(
  random: Random,
  targets: (name: string, agent: Agent) => readonly Target[],
): Generator<Target, never> {
  const all = Object.entries(AGENTS_OF_FILE).flatMap(([name, agent]) => targets(name, agent));
  for (;;) yield* shuffle(random, [...all]);
}

function hooksOf(name: string, { hooks }: Agent): readonly Target[] {
  const [example] = examplesOf(name).filter(({ source }) => source === 'hooks');
  return hooks === undefined ? [] : hookTargets(name, hooks, example?.records[0] ?? {});
}

function attributesOf(name: string, { telemetry }: Agent): readonly Target[] {
  return telemetry === undefined ? [] : attributeTargets(name, telemetry, examplesOf(name));
}

function membersOf(name: string, { telemetry }: Agent): readonly Target[] {
  return telemetry === undefined ? [] : memberTargets(name, telemetry, examplesOf(name));
}

function examplesOf(agent: string): readonly Example[] {
  const file = new URL(`${agent}/examples.json`, FOLDER);
  if (!existsSync(file)) return [];
  return (JSON.parse(readFileSync(file, 'utf8')) as { examples: Example[] }).examples;
}
