/** The command `bench:ladders`: what an event costs as sessions, names, rows, sizes, clients and batches grow. */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { Usage } from '../plan/parse.ts';
import { type Climbed, climb } from './climb.ts';
import { LADDERS } from './ladders.ts';
import { laddersReport } from './report.ts';
import { finish, provenance, say } from './shared.ts';

const NAMES = LADDERS.map(({ name }) => name);

export const LADDERS_USAGE: Usage<'ladders'> = {
  name: 'ladders',
  about: `Measures the CPU time of an event on both servers while one property grows: ${NAMES.join(', ')}.
Takes about ten minutes and 4 GB of disk for the ten million rows. Build both servers first.`,
  exit: 'Exit: 0 measured, 1 a server or the measurement failed, 2 a flag is wrong, 130 interrupted.',
};

/** The names of the ladders to climb, and the file of the result. */
export interface LaddersOptions {
  readonly names: readonly string[];
  readonly out: string | undefined;
}

/** Returns the given names, all without them; adds a problem for each unknown one. */
export function pickLadders(names: readonly string[] = NAMES, problems: string[]): readonly string[] {
  const unknown = names.filter((name) => !NAMES.includes(name));
  problems.push(...unknown.map((name) => `--pick: ${name} is not one of ${NAMES.join(', ')}`));
  return names;
}

export async function runLadders({ names, out }: LaddersOptions, lifetime: Lifetime): Promise<undefined> {
  const ladders: Climbed[] = [];
  for (const ladder of LADDERS.filter(({ name }) => names.includes(name))) {
    const { name, title, unit, rungs } = ladder;
    say(`${title}: ${rungs.length} rungs on each server`);
    const rs = await climb(ladder, 'rs', lifetime);
    const ts = await climb(ladder, 'ts', lifetime);
    ladders.push({ name, title, unit, servers: { rs, ts } });
  }
  const result = { ...provenance(), ladders };
  await finish('ladders', out, result, laddersReport(result, false));
}
