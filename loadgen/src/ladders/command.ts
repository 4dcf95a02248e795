/** The command `bench:ladders`: what an event costs as sessions, names, rows, sizes, clients and batches grow. */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { readEnvironment } from '../observe/environment.ts';
import type { Usage } from '../plan/parse.ts';
import { type Climbed, climb, type LaddersResult } from './climb.ts';
import { LADDERS, type Ladder } from './ladders.ts';
import { finish, laddersReport, say } from './report.ts';

export const LADDERS_USAGE: Usage<'ladders'> = {
  name: 'ladders',
  about: `Measures the CPU time of an event on both servers while one property grows: ${LADDERS.map(({ name }) => name).join(', ')}.
Takes about ten minutes and 4 GB of disk for the ten million rows. Build both servers first.`,
  exit: 'Exit: 0 measured, 1 a server or the measurement failed, 2 a flag is wrong, 130 interrupted.',
};

export interface LaddersOptions {
  readonly ladders: readonly Ladder[];
  readonly out: string | undefined;
}

/** Returns the ladders with these names, all without names; adds a problem for each unknown name. */
export function pickLadders(names: readonly string[] | undefined, problems: string[]): readonly Ladder[] {
  const known = LADDERS.map(({ name }) => name);
  for (const name of names ?? [])
    if (!known.includes(name)) problems.push(`--pick: ${name} is not one of ${known.join(', ')}`);
  return LADDERS.filter(({ name }) => names === undefined || names.includes(name));
}

export async function runLadders({ ladders, out }: LaddersOptions, lifetime: Lifetime): Promise<undefined> {
  const climbed: Climbed[] = [];
  for (const ladder of ladders) {
    say(`${ladder.title}: ${ladder.rungs.length} rungs on each server`);
    const rs = await climb(ladder, 'rs', lifetime);
    const ts = await climb(ladder, 'ts', lifetime);
    const { name, title, unit } = ladder;
    climbed.push({ name, title, unit, servers: { rs, ts } });
  }
  const measured_on = new Date().toISOString().slice(0, 10);
  const result: LaddersResult = { measured_on, environment: readEnvironment(), ladders: climbed };
  await finish('ladders', out, result, laddersReport(result, false));
}
