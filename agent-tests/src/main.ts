/**
 * Runs `pnpm test:agents`: each real agent against each server, one test for each scenario.
 *
 * It skips an agent that does not install or start, and reports the agent as unverified with the reason.
 */
import { test } from 'node:test';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { buildStale } from '@twin-ingest/testkit/servers/build.ts';
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import type { AgentKind } from './agents/agent.ts';
import { HELP, type Options, parseOptions } from './options.ts';
import { install } from './run/install.ts';
import { versionOf } from './run/process.ts';
import { Trial } from './run/trial.ts';
import { Verdicts } from './run/verdicts.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { SCENARIOS } from './scenarios/scenarios.ts';

const parsed = parseOptions(process.argv.slice(2));
if (parsed.kind === 'help') process.stdout.write(HELP);
else if (parsed.kind === 'wrong') {
  process.stderr.write(`${parsed.problems.join('\n')}\n`);
  process.exitCode = 2;
} else await testAgents(parsed.options);

async function testAgents(options: Options): Promise<void> {
  const lifetime = new Lifetime();
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const programs = options.targets.map((name) => ({ name, program: TARGETS[name] }));
  await buildStale(programs, { lifetime, build: options.build, say });
  const verdicts = new Verdicts();
  process.once('exit', () => process.stdout.write(verdicts.text()));
  for (const agent of options.agents) await testAgent(agent, options, verdicts);
}

async function testAgent(agent: AgentKind, options: Options, verdicts: Verdicts): Promise<void> {
  await test(agent.label, async (t) => {
    const installed = await install(agent, options.isLatest);
    const version = installed.kind === 'installed' ? await versionOf(agent, installed.prefix) : null;
    if (installed.kind === 'missing' || version === null) {
      const reason = installed.kind === 'missing' ? installed.reason : 'it does not start';
      verdicts.skip(agent, reason);
      t.skip(reason);
      return;
    }
    verdicts.begin(agent, version);
    for (const target of options.targets)
      for (const scenario of SCENARIOS.filter(({ name }) => name.includes(options.only)))
        await t.test(`${scenario.name} (${target})`, async (one) => {
          const reason = scenario.reasonToSkip?.(agent) ?? null;
          if (reason !== null) return one.skip(reason);
          try {
            const capture =
              options.capture === null ? null : { folder: options.capture, version, scenario: scenario.name };
            await play(scenario, { agent, prefix: installed.prefix, target, keep: options.keep, capture });
            verdicts.pass(agent);
          } catch (error) {
            verdicts.fail(agent);
            throw error;
          }
        });
  });
}

/** Runs a scenario; rejects if it fails. */
async function play(scenario: Scenario, options: Parameters<typeof Trial.start>[0]): Promise<void> {
  let trial: Trial | undefined;
  try {
    await scenario.run(options.agent, async (conversations) => {
      trial = await Trial.start(options, conversations);
      return trial;
    });
  } finally {
    await trial?.end();
  }
}
