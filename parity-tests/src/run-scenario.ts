/** Runs scenarios on the chosen servers and turns their ends into results. */

import { inFolder } from '@twin-ingest/testkit/files/temporary-folder.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { JetStream } from './jetstream.ts';
import type { Options } from './options.ts';
import type { Outcome, Result } from './result.ts';
import { type Scenario, ScenarioContext, type ScenarioFile, SkippedError } from './scenario.ts';
import { StrayErrors } from './stray-errors.ts';

/** The names of scenarios that run. Node ends when one waits for what can no longer happen. */
const unfinished = new Set<string>();
process.on('exit', () => {
  for (const name of unfinished) process.stderr.write(`unfinished: ${name}\n`);
});

/** Returns one result for each server, or one for both. */
export async function runScenario(
  file: ScenarioFile,
  scenario: Scenario,
  options: Options,
  jetStream?: JetStream,
): Promise<Result[]> {
  if (options.basePort !== undefined) {
    return [skipped(file, scenario, 'base-url', 'starts and stops servers of its own')];
  }
  if (scenario.uses === 'both') {
    if (options.targets.length < 2) return [skipped(file, scenario, 'both', 'needs both servers')];
    return [await runOnce(file, scenario, 'both', options.targets[0]!, options, jetStream)];
  }
  const onTarget = (target: TargetName) => runOnce(file, scenario, target, target, options, jetStream);
  if (scenario.measures !== true) return Promise.all(options.targets.map(onTarget));
  const results: Result[] = [];
  for (const target of options.targets) results.push(await onTarget(target));
  return results;
}

async function runOnce(
  file: ScenarioFile,
  scenario: Scenario,
  label: string,
  target: TargetName,
  options: Options,
  jetStream: JetStream | undefined,
): Promise<Result> {
  const begun = performance.now();
  const running = `scenarios/${file.name}/${scenario.name} [${label}]`;
  unfinished.add(running);
  const stray = new StrayErrors();
  const inContext = async (folder: string) => {
    const context = new ScenarioContext(target, folder, options, jetStream?.streams());
    const outcome = await outcomeOfRun(scenario, context);
    await context.close();
    unfinished.delete(running);
    return { outcome, notes: context.notes, counts: context.counts };
  };
  const { outcome: ended, notes, counts } = await stray.collect(() => inFolder(inContext));
  const outcome = withStray(ended, stray.end(ended.kind === 'failed'));
  return { ...named(file, scenario, label), outcome, ms: performance.now() - begun, notes, counts };
}

/** Returns a failure with every message when there are errors that the scenario did not wait for. */
function withStray(outcome: Outcome, errors: readonly unknown[]): Outcome {
  if (errors.length === 0) return outcome;
  const own = outcome.kind === 'failed' && outcome.message !== undefined ? [outcome.message] : [];
  return failed([...new Set([...own, ...errors.map(messageOf)])].join('\n'));
}

/** Catches any error at any time: a scenario that fails at once does not end the others. */
async function outcomeOfRun(scenario: Scenario, context: ScenarioContext): Promise<Outcome> {
  try {
    await scenario.run(context);
    return { kind: 'passed' };
  } catch (error) {
    return outcomeOf(error);
  }
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof SkippedError) return { kind: 'skipped', reason: error.message };
  return failed(messageOf(error));
}

function failed(message: string): Outcome {
  return { kind: 'failed', exchanges: [], message };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? located(error) : String(error);
}

/** Returns the message, and its place in the scenarios. */
function located(error: Error): string {
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ {4}at .*\/scenarios\//.test(line));
  return [error.message, ...frames.map((line) => line.replace(/file:\S*\/(?=scenarios\/)/, ''))].join('\n');
}

function skipped(file: ScenarioFile, scenario: Scenario, target: string, reason: string): Result {
  return { ...named(file, scenario, target), outcome: { kind: 'skipped', reason }, ms: 0, notes: [] };
}

function named(file: ScenarioFile, scenario: Scenario, target: string) {
  return { suite: `scenarios/${file.name}`, name: scenario.name, rules: scenario.rules, target };
}
