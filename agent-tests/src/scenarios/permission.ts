/** Scenarios with calls that need a permission: a rule refuses it, or the user answers in a terminal. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { AgentKind } from '../agents/agent.ts';
import type { Outcome, Step } from '../api/script.ts';
import type { Observed } from '../check/observed.ts';
import type { Terminal } from '../run/terminal.ts';
import type { Trial } from '../run/trial.ts';
import type { Scenario } from './scenario.ts';
import { TASK } from './turns.ts';

const ENTER = '\r';
const ESCAPE = '\u001b';
const TEXT = { kind: 'text', text: 'All done.' } as const;

export const REFUSED_BY_RULE: Scenario = {
  name: 'permission denied by a rule',
  reasonToSkip: ({ refused }) => (refused === null ? 'it refuses no call without asking' : null),
  async run(agent, start) {
    const { call, endsTurn, looksAsked = false } = agent.refused!;
    const denied: Step = { kind: 'call', call, outcome: 'denied' };
    let trial: Trial | undefined;
    let whileAnswering: Observed | undefined;
    const look = async () => {
      whileAnswering = await trial!.observe();
    };
    trial = await start([{ marker: TASK, steps: endsTurn ? [denied] : [denied, { ...TEXT, hold: look }] }]);
    await trial.turn({ prompt: `Please do ${TASK}`, isAllowed: false });
    if (whileAnswering !== undefined)
      assert.equal(isWaiting(whileAnswering), looksAsked, 'a refused call waits for no answer');
    await trial.check(1);
  },
};

export const ALLOWED_BY_USER: Scenario = {
  name: 'permission asked and given',
  reasonToSkip: reasonForNoDialog,
  async run(agent, start) {
    const [trial, terminal] = await asked(agent, start, 'success');
    await terminal.pressUntil(ENTER, () => trial.script.left() === 0, 'the call ran');
    const { answer = /Alldone/ } = agent.dialog!;
    await terminal.until(() => answer.test(terminal.shown()), 'the answer is shown');
    if (agent.dialog!.hasWaits)
      await terminal.until(async () => !isWaiting(await trial.observe()), 'the wait ended');
    await terminal.quit();
    await trial.check(agent.dialog!.sessions);
  },
};

/** The user refuses the call. The agent then sends no further request, so the script has no text after the call. */
export const REFUSED_BY_USER: Scenario = {
  name: 'permission asked and denied',
  reasonToSkip: reasonForNoDialog,
  async run(agent, start) {
    const [trial, terminal] = await asked(agent, start, 'denied');
    await terminal.pressUntil(
      ESCAPE,
      () => agent.dialog!.refusal.test(terminal.shown()),
      'the agent took the refusal',
    );
    await terminal.quit();
    const { sessions } = await trial.check(agent.dialog!.sessions);
    assert.ok(!sessions.some(({ status }) => status === 'waiting'), 'no session waits after its end');
  },
};

/**
 * Starts a session and waits for the agent's question. If the agent reports waits, it also waits for the session's
 * status.
 */
async function asked(
  agent: AgentKind,
  start: Parameters<Scenario['run']>[1],
  outcome: Outcome,
): Promise<[Trial, Terminal]> {
  const dialog = agent.dialog!;
  const steps = [
    { kind: 'call', call: dialog.call, outcome } as const,
    ...(outcome === 'success' ? [TEXT] : []),
  ];
  const trial = await start([{ marker: TASK, steps }]);
  const terminal = trial.dialog(dialog, `Please do ${TASK}`);
  await terminal.until(() => dialog.question.test(terminal.shown()), 'the agent asks');
  if (dialog.hasWaits)
    await terminal.until(async () => isWaiting(await trial.observe()), 'the session waits');
  return [trial, terminal];
}

function isWaiting({ sessions }: Observed): boolean {
  return sessions.some(
    ({ status, waiting_reason }) => status === 'waiting' && waiting_reason === 'permission',
  );
}

function reasonForNoDialog({ dialog }: AgentKind): string | null {
  if (dialog === null) return 'it cannot be asked in a terminal here';
  const { stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' });
  return stdout?.includes('util-linux')
    ? null
    : 'this machine has no script of util-linux, which makes terminals';
}
