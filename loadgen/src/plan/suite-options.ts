/** The options of the suites `sync`, `codecs`, `binary` and `rpc`, which have the same flags. */
import { type Given, type Parsed, parseCommand, shownFlags, type Usage } from './parse.ts';

export type SuiteName = 'sync' | 'codecs' | 'binary' | 'rpc';

export type RunSize = 'quick' | 'default' | 'all';

export interface SuiteOptions<Scenario extends string>
  extends Pick<Given, 'targets' | 'seed' | 'corpus' | 'out' | 'publish' | 'tables' | 'json'> {
  /** Selected scenarios in the order of the suite. */
  readonly scenarios: readonly Scenario[];
  readonly size: RunSize;
  readonly build: boolean;
  /** The command line as a result stores it. */
  readonly flags: readonly string[];
}

export interface SuiteUsage<Scenario extends string> extends Usage {
  readonly name: SuiteName;
  readonly scenarios: readonly Scenario[];
}

export function parseSuite<Scenario extends string>(
  usage: SuiteUsage<Scenario>,
  argv: readonly string[],
): Parsed<SuiteOptions<Scenario>> {
  return parseCommand(usage, argv, (given, problems) => {
    const { targets, scenarios, quick, all, seed, corpus, out, publish, tables, json } = given;
    if (quick && all) problems.push('--quick and --all exclude each other');
    return {
      scenarios: usage.scenarios.filter((name) => scenarios?.includes(name) ?? true),
      size: quick ? 'quick' : all ? 'all' : 'default',
      ...{ targets, seed, corpus, out, publish, tables, json },
      build: !given.noBuild,
      flags: shownFlags(argv),
    };
  });
}
