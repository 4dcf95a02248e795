/** Sends random sessions to both servers: a short run of `pnpm fuzz` (decision 90). Any difference is a failure. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { fuzz } from '../src/fuzz/fuzz.ts';
import { caseText, describe } from '../src/fuzz/report.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const DIFFERENTIAL: ScenarioFile = {
  name: 'differential',
  about: 'seeded random requests to both servers',
  scenarios: [
    { name: 'random requests are answered alike', rules: ['LAW'], uses: 'both', run: randomRequests },
  ],
};

/** Shrinking ends after this many runs, so that a failure is reported within a minute or two. */
const SHRINK_RUNS = 60;

async function randomRequests(context: ScenarioContext): Promise<void> {
  const { seed, requests, saveCase } = context.options;
  let worlds = 0;
  const startIn = async () => {
    worlds += 1;
    const world = worlds;
    return (target: 'rs' | 'ts', database: string, flags: readonly string[]) =>
      context.start({ target, db: context.db(`${world}-${database}`), flags });
  };
  const begun = performance.now();
  const { sessions, steps, difference } = await fuzz(startIn, {
    seed,
    session: 0,
    milliseconds: Number.POSITIVE_INFINITY,
    steps: requests,
    shrinkRuns: SHRINK_RUNS,
  });
  const perSecond = Math.round((steps * 1_000) / (performance.now() - begun));
  context.note(`seed ${seed}, ${steps} steps, ${sessions} sessions, ${perSecond} a second`);
  if (difference === undefined) return;
  if (saveCase) writeFileSync(saveCase, caseText(difference, seed));
  assert.fail(describe(difference, seed));
}
