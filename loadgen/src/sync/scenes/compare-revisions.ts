/** How many revisions a second each language compares, by class of inputs: the slowest class is the figure. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freshnessOf } from '@twin-ingest/testkit/servers/build.ts';
import { BenchFailure } from '../../failure.ts';
import { pinningCommand } from '../../placement.ts';
import { FigureValues } from '../figure.ts';
import type { Scene } from '../scene.ts';

const run = promisify(execFile);

export const compareRevisionsScene: Scene = {
  name: 'compare_revisions',
  async measure(server, { launch, sizes, comparisons, skip, add }) {
    const program = comparisons[server];
    if ((await freshnessOf(program)) === 'missing') {
      skip(`its program is not built; pnpm ${program.build} builds it`);
      return;
    }
    const [command, ...args] = [
      ...pinningCommand(launch.placement.server_cpus),
      program.command,
      ...program.args,
      String(sizes.comparison_rounds),
      String(sizes.comparison_ms),
    ];
    const running = run(command!, args, { signal: launch.lifetime.signal });
    const { stdout } = await launch.lifetime.orInterrupted(running);
    for (const [inputs, million_per_s] of Object.entries(readFound(server, stdout))) {
      const values = new FigureValues();
      for (const value of million_per_s) values.add({ million_per_s: value });
      add({ parameters: { inputs }, figures: values.all(), latency: null });
    }
  },
};

function readFound(server: string, stdout: string): Readonly<Record<string, readonly number[]>> {
  const found = JSON.parse(stdout) as Record<string, number[]>;
  const lists = Object.values(found);
  const isWhole = lists.length === 4 && lists.every((list) => list.length > 0 && list.every(Number.isFinite));
  if (!isWhole)
    throw new BenchFailure('limit_failed', `the comparison of ${server} did not say what it found`);
  return found;
}
