import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../contract.ts';
import { AGENTS, agentOf, isForChildren, isShared } from './agents.ts';
import type { Attributes } from './record.ts';

const NONE: Attributes = new Map();
const CODEX = AGENTS[1]!;

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
    assert.equal(agentOf(scope, resource, attributes)?.spec.agent_type, expected, scope);
  assert.equal(agentOf('x', NONE), undefined, 'one that is too large has no attributes');
});

test('the first entry whose conditions hold counts', () => {
  const meaningOf = (values: Record<string, string>): string | undefined => {
    const entry = CODEX.entryOf('logs', 'sse_event', (key) => values[key]);
    return typeof entry === 'object' ? entry.entry.event_type : entry;
  };
  assert.equal(meaningOf({ 'event.kind': 'response.completed', input_token_count: '5' }), 'llm_response');
  assert.equal(meaningOf({ 'event.kind': 'response.completed' }), 'noise');
  assert.equal(meaningOf({ 'event.kind': 'response.failed' }), 'error');
  assert.equal(
    CODEX.entryOf('spans', 'anything', () => undefined),
    'noise',
  );
  for (const name of ['anything', 'constructor', '__proto__'])
    assert.equal(
      AGENTS[0]!.entryOf('logs', name, () => undefined),
      undefined,
    );
});

test('only attributes that mappings use are kept for sharing', () => {
  assert.ok(isShared('session.id', '"s"') && !isShared('host.name', '"h"'));
  assert.ok(!isShared('session.id', '1'.repeat(LIMITS.otlp_shared_value_bytes + 1)));
  assert.ok(isForChildren('tool_use_id', '"t"') && !isForChildren('session.id', '"s"'));
  assert.deepEqual(
    AGENTS.map(({ wantsParents }) => wantsParents),
    [true, false, false, false],
  );
});
