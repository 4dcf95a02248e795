/** Scenarios with turns of one session: a call succeeds, fails, or prints a long output. */
import assert from 'node:assert/strict';
import type { AgentKind } from '../agents/agent.ts';
import type { Outcome, Step } from '../api/script.ts';
import type { Scenario } from './scenario.ts';

export const TASK = 'task-one';

/** Returns the steps of a shell call and a text after it. */
export function shellSteps(agent: AgentKind, command: string, outcome: Outcome, text = 'All done.'): Step[] {
  return [
    { kind: 'call', call: agent.shell(command), outcome },
    { kind: 'text', text },
  ];
}

export const PLAIN: Scenario = {
  name: 'plain turn',
  async run(agent, start) {
    const trial = await start([{ marker: TASK, steps: shellSteps(agent, 'echo hello', 'success') }]);
    await trial.turn({ prompt: `Please do ${TASK}` });
    const { sessions, rows } = await trial.check(1);
    const { endStatus } = agent.promised;
    if (endStatus !== null) assert.equal(sessions[0]!.status, endStatus);
    assert.equal(rows.filter(({ event_type }) => event_type === 'user_prompt').length, 1);
    assert.equal(rows.filter(({ event_type }) => event_type === 'session_start').length, 1);
  },
};

/** A tool fails, and a command ends with a non-zero exit code. Not every agent reports the latter as an error. */
export const TOOL_ERROR: Scenario = {
  name: 'tool error',
  async run(agent, start) {
    const broken: Step = { kind: 'call', call: agent.broken, outcome: 'error' };
    const steps = [broken, ...shellSteps(agent, 'echo wrong >&2; exit 3', agent.failedCommand)];
    const trial = await start([{ marker: TASK, steps }]);
    await trial.turn({ prompt: `Please do ${TASK}` });
    await trial.check(1);
  },
};

/** Both the output of a tool and the answer are longer than any field. */
export const LONG_OUTPUT: Scenario = {
  name: 'long output',
  async run(agent, start) {
    // Gemini CLI stops an answer that repeats itself.
    const text = Array.from({ length: 20_000 }, (_, line) => `line ${line}`).join('\n');
    const trial = await start([{ marker: TASK, steps: shellSteps(agent, 'seq 1 60000', 'success', text) }]);
    await trial.turn({ prompt: `Please do ${TASK}` });
    await trial.check(1);
  },
};
