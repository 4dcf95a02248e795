/** Scenarios with several turns, sessions and models, and with a restart of the server. */
import assert from 'node:assert/strict';
import type { Observed } from '../check/observed.ts';
import type { Trial } from '../run/trial.ts';
import type { Scenario } from './scenario.ts';
import { shellSteps, TASK } from './turns.ts';

export const MODEL_SWITCH: Scenario = {
  name: 'model switch',
  async run(agent, start) {
    const steps = [...shellSteps(agent, 'echo one', 'success'), ...shellSteps(agent, 'echo two', 'success')];
    const trial = await start([{ marker: TASK, steps }]);
    const [first, second] = agent.models;
    await trial.turn({ prompt: `Please do ${TASK}`, model: first });
    await trial.turn({ prompt: `Now do ${TASK} again`, model: second, isResumed: true });
    const { rows } = await trial.check(1);
    const models = new Set(rows.filter(({ tokens_in }) => tokens_in > 0).map(({ model }) => model));
    assert.equal(models.size, 2, 'both models have answers');
  },
};

export const TWO_SESSIONS: Scenario = {
  name: 'two sessions at once',
  async run(agent, start) {
    const marks = ['task-left', 'task-right'];
    const trial = await start(
      marks.map((marker) => ({ marker, steps: shellSteps(agent, `echo ${marker}`, 'success') })),
    );
    await Promise.all(marks.map((marker) => trial.turn({ prompt: `Please do ${marker}` })));
    const { sessions, rows } = await trial.check(2);
    for (const { id } of sessions) {
      const own = rows.filter(({ session_id }) => session_id === id);
      const served = marks.find((marker) =>
        trial.script.served.some(
          (one) => one.marker === marker && own.some(({ tokens_in }) => tokens_in === one.usage?.input),
        ),
      );
      const others = trial.script.served.filter(({ marker }) => marker !== null && marker !== served);
      const mixed = others.filter(({ usage }) => own.some(({ tokens_in }) => tokens_in === usage?.input));
      assert.deepEqual(mixed, [], `session ${id} has answers of ${served} alone`);
    }
  },
};

export const RESTART: Scenario = {
  name: 'restart of the server in mid-turn',
  async run(agent, start) {
    let trial: Trial | undefined;
    const [call, text] = shellSteps(agent, 'echo hello', 'success');
    const restart = async () => {
      const isThere = ({ rows }: Observed) => rows.some(({ event_type }) => event_type === 'tool_use');
      if (!agent.promised.sendsAgain) await trial!.untilObserved(isThere);
      await trial!.restartServer();
    };
    const restarted = { ...text!, hold: restart };
    trial = await start([{ marker: TASK, steps: [call!, restarted] }]);
    await trial.turn({ prompt: `Please do ${TASK}` });
    await trial.check(1);
  },
};

/** Codex runs only trusted hooks; its telemetry needs no trust. */
export const UNTRUSTED_HOOKS: Scenario = {
  name: 'hooks that are not trusted',
  reasonToSkip: ({ trustsHooks }) => (trustsHooks ? null : 'it runs every hook in its settings'),
  async run(agent, start) {
    const trial = await start([{ marker: TASK, steps: shellSteps(agent, 'echo hello', 'success') }]);
    await trial.turn({ prompt: `Please do ${TASK}`, areHooksTrusted: false });
    const { rows } = await trial.check(1);
    assert.deepEqual(
      rows.filter(({ source }) => source === 'hook'),
      [],
    );
  },
};
