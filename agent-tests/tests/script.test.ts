/** Tests which answer of a script a request gets. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { AGENTS } from '../src/agents/agents.ts';
import { Script, type Step } from '../src/api/script.ts';
import VERSIONS from '../versions.json' with { type: 'json' };

const CALL: Step = { kind: 'call', call: { name: 'shell', input: {} }, outcome: 'success' };
const TEXT: Step = { kind: 'text', text: 'Done' };

test('a script gives the steps of a conversation in turn when requests hold its marker', () => {
  const script = new Script([{ marker: 'left', steps: [CALL, TEXT] }]);
  const kinds = [1, 2].map(() => script.take('do left', 'm', true).step.kind);
  assert.deepEqual(kinds, ['call', 'text']);
  assert.equal(script.left(), 0);
});

test('a script gives a side request no step of a conversation', () => {
  const script = new Script([{ marker: 'left', steps: [CALL] }]);
  for (const served of [script.take('do left', 'm', false), script.take('other', 'm', true)])
    assert.deepEqual([served.marker, served.callId], [null, null]);
  assert.equal(script.left(), 1);
});

test('a script gives no two answers the same tokens', () => {
  const script = new Script([{ marker: 'left', steps: [CALL, TEXT] }]);
  const served = [1, 2, 3].map(() => script.take('left', 'm', true));
  for (const part of ['input', 'output', 'cacheRead', 'cacheWrite'] as const)
    assert.equal(new Set(served.map(({ usage }) => usage![part])).size, served.length);
});

interface Agent {
  readonly versions: { readonly telemetry: { readonly captured: string } };
}

for (const { name, agentType } of AGENTS.filter(({ name }) => name !== 'opencode'))
  test(`the pinned version of ${name} is the one that its mapping was captured with`, () => {
    const file = `${ROOT}contract/agents/${agentType.replaceAll('_', '-')}/agent.json`;
    const { versions } = JSON.parse(readFileSync(file, 'utf8')) as Agent;
    assert.equal(VERSIONS[name].version, versions.telemetry.captured);
  });
