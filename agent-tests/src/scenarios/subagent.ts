/** Scenario with a call that starts a subagent. The subagent makes a call too. */
import assert from 'node:assert/strict';
import type { AgentKind } from '../agents/agent.ts';
import type { Step } from '../api/script.ts';
import type { Scenario } from './scenario.ts';
import { shellSteps, TASK } from './turns.ts';

const PART = 'part-of-it';

function partSteps(agent: AgentKind): Step[] {
  const [call, text] = shellSteps(agent, 'echo part', 'success');
  const { completion } = agent;
  return [call!, completion === null ? text! : { kind: 'call', call: completion, outcome: 'success' }];
}

export const SUBAGENT: Scenario = {
  name: 'subagent',
  async run(agent, start) {
    const calls = agent.subagent(`Please do ${PART}`);
    const steps: Step[] = calls.map((call) => ({ kind: 'call', call, outcome: 'success' }));
    const trial = await start([
      { marker: TASK, steps: [...steps, { kind: 'text', text: 'All done.' }] },
      { marker: PART, steps: partSteps(agent) },
    ]);
    await trial.turn({ prompt: `Please do ${TASK}` });
    const { hasSubagentSessions } = agent.promised;
    const { rows, sessions } = await trial.check(hasSubagentSessions ? 2 : 1);
    const { endStatus } = agent.promised;
    if (endStatus !== null)
      assert.ok(
        sessions.every(({ status }) => status === endStatus),
        `each session is ${endStatus}`,
      );
    const isPart = trial.script.served.find(({ marker, callId }) => marker === PART && callId !== null);
    const call = rows.find(
      ({ event_type, call_id }) => event_type === 'tool_use' && call_id === isPart?.callId,
    );
    if (agent.promised.hasCallIds && !hasSubagentSessions)
      assert.notEqual(call?.agent_id, null, 'the call of the subagent has its agent_id');
  },
};
