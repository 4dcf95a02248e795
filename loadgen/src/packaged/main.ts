/**
 * The module of the package `@twin-ingest/bench`, which `twin-ingest bench` loads: the comparison in two minutes.
 *
 * It has four rounds, the fewest for a verdict, of a closed loop and of an open loop. autocannon drives the closed loop
 * on every machine, so that the package needs no other program. Nothing is written but temporary databases.
 */
import type { Comparing, Comparison } from '@twin-ingest/testkit/servers/comparison.ts';
import { compareCommand } from '../cli/compare-command.ts';

export const compare: Comparing['compare'] = (comparison) => {
  const { targets } = comparison;
  const contenders = { targets, plain: targets, ceilings: null, checkout: null };
  return compareCommand(flagsOf(comparison), contenders, 'bench');
};

export function flagsOf({ only, json, rounds = '4', events = '100000' }: Comparison): string[] {
  return [
    '--quick',
    '--no-build',
    '--driver=autocannon',
    '--pick=batch,open_10000',
    '--starts=8',
    `--rounds=${rounds}`,
    `--events=${events}`,
    ...(only === null ? [] : [`--only=${only}`]),
    ...(json ? ['--json'] : []),
  ];
}
