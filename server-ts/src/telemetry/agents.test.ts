import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../contract.ts';
import { AGENTS, agentOf, isForChildren, isShared } from './agents.ts';
import type { Attributes } from './record.ts';

const NONE: Attributes = new Map();

function named(name: string): Attributes {
  return new Map([['service.name', JSON.stringify(name)]]);
}

test('a record belongs to the first agent that matches it', () => {
  const generic: Attributes = new Map([['gen_ai.operation.name', '"chat"']]);
  const cases: [string, Attributes, Attributes, string | undefined][] = [
    ['com.anthropic.claude_code', NONE, NONE, 'claude_code'],
    ['com.anthropic.claude_code.events', named('codex_exec'), NONE, 'claude_code'],
    ['com.anthropic.claude_codex', NONE, NONE, undefined],
    ['codex_otel::metrics', NONE, NONE, 'codex'],
    ['', named('codex_exec'), generic, 'codex'],
    ['', named('Codex_exec'), NONE, undefined],
    ['x', NONE, generic, 'gen_ai'],
    ['x', generic, NONE, undefined],
  ];
  for (const [scope, resource, attributes, expected] of cases)
    assert.equal(agentOf(scope, resource, attributes)?.spec.agentType, expected, scope);
  assert.equal(agentOf('x', NONE), undefined, 'one that is too large has no attributes');
});

test('only attributes that mappings use are kept for sharing', () => {
  assert.ok(isShared('session.id', '"s"') && !isShared('host.name', '"h"'));
  assert.ok(!isShared('session.id', '1'.repeat(LIMITS.otlp_shared_value_bytes + 1)));
  assert.ok(isForChildren('tool_use_id', '"t"') && !isForChildren('session.id', '"s"'));
  assert.deepEqual(
    AGENTS.filter(({ wantsParents }) => wantsParents).map(({ spec }) => spec.agentType),
    ['claude_code', 'copilot_cli'],
  );
});
