/** Tests the feed's text for telemetry records: the line, the name, and the record that represents a call. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '../src/api.ts';
import { entriesOf } from '../src/calls.ts';
import { eventOf } from '../src/columns.ts';
import { summaryOf } from '../src/summary.ts';

const record = (metadata: object, own: Partial<Row> = {}): Row =>
  ({
    ...{ id: 1, session_id: 's', agent_type: 'codex', source: 'otel', status: 'success', call_id: null },
    ...{ event_type: 'plan_step', source_event: 'codex.event', model: null, project: null, branch: null },
    metadata,
    ...own,
  }) as Row;

const LINES: Readonly<Record<string, readonly [line: string, metadata: object, own?: Partial<Row>]>> = {
  'a prompt': ['Fix it', { 'session.id': 's', prompt: 'Fix it' }],
  'arguments in JSON': ['npm test', { 'event.name': 'x', arguments: '{"cmd":"npm test"}', output: 'ok' }],
  'arguments with a command among others': ['ls', { tool_input: '{"description":"list","command":"ls"}' }],
  'arguments that are cut off': ['{"cmd":"npm', { arguments: '{"cmd":"npm' }],
  'arguments and the error of a failed call': [
    'src/a.ts · No such file',
    { function_args: '{"file_path":"src/a.ts"}', error: 'No such file' },
    { status: 'error' },
  ],
  'the error of a failed request': [
    '529 overloaded',
    { error: '529 overloaded', attempt: 1 },
    { status: 'error' },
  ],
  'the start of a session, without settings of the agent': [
    'Session started',
    { 'conversation.id': 's', reasoning_summary: 'auto' },
    { event_type: 'session_start' },
  ],
  'the model of an answer': [
    'm1',
    { 'session.id': 's', ttft_ms: 4 },
    { event_type: 'llm_response', model: 'm1' },
  ],
  'what is there, without what other columns show': [
    'provider: mock',
    { 'conversation.id': 's', 'event.timestamp': 't', model: 'm1', provider: 'mock' },
    { model: 'm1' },
  ],
  'the text of an imported answer': [
    'Done',
    { transcript_path: '/t.jsonl', line: 7, text: 'Done' },
    { source: 'import', event_type: 'response' },
  ],
  'the command and the error of an imported call': [
    'ls · no such file',
    { transcript_path: '/t.jsonl', line: 7, tool_input: { command: 'ls' }, tool_response: 'no such file' },
    { source: 'import', event_type: 'tool_use', status: 'error' },
  ],
  'the version of an imported session': [
    'version: 1.0',
    { transcript_path: '/t.jsonl', line: 7, version: '1.0', cwd: '/home/user/app' },
    { source: 'import', event_type: 'session_start' },
  ],
  nothing: ['', { 'session.id': 's' }],
};
for (const [name, [line, metadata, own]] of Object.entries(LINES)) {
  test(`the line of a record has ${name}`, () => {
    assert.equal(summaryOf(record(metadata, own)), line);
  });
}

test('a telemetry name omits the agent, any other name stays', () => {
  const named = (source_event: string | null, source = 'otel') =>
    eventOf(record({}, { source_event, source } as Partial<Row>));
  assert.equal(named('codex.agent.start'), 'agent.start');
  assert.equal(named('claude_code.tool_result'), 'claude_code.tool_result');
  assert.equal(named('codex.event', 'api'), 'codex.event');
  assert.equal(named(null), 'plan_step');
});

test('the result represents its call, before later telemetry', () => {
  const call = { call_id: 'c' };
  const decision = record({}, { ...call, id: 3, source_event: 'codex.tool_decision' });
  const result = record({}, { ...call, id: 2, source: 'hook', event_type: 'tool_use' } as Partial<Row>);
  const begin = record({}, { ...call, id: 1, source: 'hook', source_event: 'PreToolUse' } as Partial<Row>);
  const seen = (rows: readonly Row[]) =>
    entriesOf(rows).map(({ row, parts, at }) => [row.id, parts.map(({ id }) => id), at.id]);
  assert.deepEqual(seen([decision, result, begin]), [[2, [3, 1], 1]]);
  assert.deepEqual(seen([decision, begin]), [[1, [3], 1]]);
  assert.deepEqual(seen([decision]), [[3, [], 3]]);
});
