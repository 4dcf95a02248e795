import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameId } from '@twin-ingest/mapping/event-id.ts';
import type { Rule } from '@twin-ingest/mapping/rule.ts';
import { Buffers } from './buffers.ts';
import { VOCABULARY } from './contract.ts';
import { EventTable, RawEvents, tableBytes } from './event.ts';
import { FIELD, FIELD_SPECS, INT_WIDTH, TRUNCATED } from './field.ts';
import { HOOK_PATHS, mappingOf, readHook } from './hooks.ts';
import { scanEvent } from './json.ts';

interface Read {
  readonly table: EventTable;
  readonly problems: string[];
}

/** Reads a payload into reused memory. */
function read(text: string, maxMetadataBytes = 10_240, agent = 'claude-code'): Read {
  const body = Buffer.from(text);
  const raw = new RawEvents();
  assert.ok(scanEvent(body, raw), text);
  const buffers = new Buffers();
  const memory = buffers.take(tableBytes(1));
  new Uint8Array(memory).fill(0x55);
  buffers.give(memory);
  const table = new EventTable(body, 1, buffers);
  assert.equal(table.memory, memory);
  const errors = readHook(mappingOf(`/api/hooks/${agent}`), raw, table, maxMetadataBytes) ?? [];
  return { table, problems: errors.map(({ field, message }) => `${field}: ${message}`) };
}

/** Returns the text of a range of the table; `undefined` when it is absent. */
function textAt({ table }: Read, column: number): string | undefined {
  return table.ints[column] === table.ints[column + 1] ? undefined : table.textAt(column);
}

function meaning({ table }: Read): [string, string] {
  return [
    VOCABULARY.event_types[table.ints[FIELD.event_type.column]!]!,
    VOCABULARY.statuses[table.ints[FIELD.status.column]!]!,
  ];
}

test('every hook becomes the event of its mapping', () => {
  for (const path of HOOK_PATHS) {
    const { spec } = mappingOf(path);
    const agent = path.slice('/api/hooks/'.length);
    for (const [name, rules] of spec.records) {
      // The payload below has no other member that a rule asks for.
      const { eventType, fields } = (rules as readonly Rule[]).find(
        (rule) => rule.conditions.match.length === 0,
      )!;
      const has = (field: string): boolean => fields.some((one) => one.field.name === field);
      const found = read(JSON.stringify({ hook_event_name: name, tool_name: 'Bash' }), 10_240, agent);
      const status = has('status') || eventType === 'error' ? 'error' : 'success';
      assert.deepEqual(meaning(found), [eventType, status], name);
      assert.equal(textAt(found, FIELD.tool_name.column), has('tool_name') ? 'Bash' : undefined, name);
      assert.equal(textAt(found, FIELD.agent_type.column), spec.agentType);
      assert.equal(textAt(found, FIELD.source_event.column), name);
      assert.equal(VOCABULARY.sources[found.table.ints[FIELD.source.column]!], 'hook');
    }
  }
});

test('the hook name determines its event, and any other is a step', () => {
  for (const [name, eventType, status] of [
    ['"PostToolUse\\u0046ailure"', 'tool_use', 'error'],
    ['"Brand New"', 'plan_step', 'success'],
    ['" Stop"', 'plan_step', 'success'],
    ['"__proto__"', 'plan_step', 'success'],
    ['"constructor"', 'plan_step', 'success'],
    ['"\\ud800"', 'plan_step', 'success'],
    ['7', 'plan_step', 'success'],
    ['null', 'plan_step', 'success'],
    ['"Stop","hook_event_name":null', 'plan_step', 'success'],
    ['[],"hook_event_n\\u0061me":"Stop"', 'response', 'success'],
  ] as const) {
    assert.deepEqual(meaning(read(`{"hook_event_name":${name}}`)), [eventType, status], name);
  }
});

test('a value that breaks its rule counts as absent', () => {
  for (const [value, expected] of [
    ['"s"', 's'],
    ['" \\u0073 "', 's'],
    ['"a","session_id":"b"', 'b'],
    ['"a","session_id":7', 'unknown'],
    ['7', 'unknown'],
    ['null', 'unknown'],
    ['"  "', 'unknown'],
    ['"a\\u0000"', 'unknown'],
    ['"\\udc00"', 'unknown'],
    ['{"a":1}', 'unknown'],
    [`"${'x'.repeat(257)}"`, 'unknown'],
  ] as const) {
    assert.equal(textAt(read(`{"session_id":${value}}`), FIELD.session_id.column), expected, value);
  }
  for (const [value, expected] of [
    ['12', 12],
    ['1e2', 100],
    ['-0', 0],
    ['-1', Number.NaN],
    ['1.5', Number.NaN],
    ['"1"', Number.NaN],
    ['null', Number.NaN],
  ] as const) {
    const { table } = read(`{"duration_ms":${value}}`);
    assert.equal(table.numbers[FIELD.duration_ms.column], expected, value);
  }
});

test('a project is the last segment of a path', () => {
  for (const [path, segment] of [
    ['/home/u/app', 'app'],
    ['/home/u/app//', 'app'],
    ['C:\\work\\my app\\', 'my app'],
    ['/a\\b', 'b'],
    ['app', 'app'],
    ['/a/ ', ' '],
    ['/\\/', ''],
    ['', ''],
  ] as const) {
    const project = textAt(read(JSON.stringify({ cwd: path })), FIELD.project.column);
    assert.equal(project, segment.trim() === '' ? undefined : segment, path);
  }
  for (const cwd of ['7', '["/a"]', '"/\\ud800/b"']) {
    assert.equal(textAt(read(`{"cwd":${cwd}}`), FIELD.project.column), undefined, cwd);
  }
  // The limit applies to the segment, not to the path.
  const [long, longest] = ['a'.repeat(2000), 'b'.repeat(1024)];
  assert.equal(textAt(read(`{"cwd":"/${long}/${longest}"}`), FIELD.project.column), longest);
  assert.equal(textAt(read(`{"cwd":"/${longest}b"}`), FIELD.project.column), undefined);
});

test('hook metadata is the object as sent, or its summary', () => {
  const text = ' \n{ "a" : [1.0, 1e2],"event_id":"x","metadata":{},"source":"otel" }\n ';
  const found = read(text);
  assert.equal(textAt(found, FIELD.metadata.column), text.trim());
  assert.equal(textAt(found, FIELD.event_id.column), undefined);
  assert.equal(found.table.ints[TRUNCATED], 0);
  assert.equal(textAt(read('{}'), FIELD.metadata.column), '{}');
  const long = JSON.stringify({ z: 'z'.repeat(300), hook_event_name: 'Stop' });
  const summary = read(long, 256);
  const cutAt = (z: string) =>
    `{"_truncated":true,"_original_bytes":${long.length},"hook_event_name":"Stop","z":"${z}…"}`;
  const room = 256 - Buffer.byteLength(cutAt(''));
  assert.equal(textAt(summary, FIELD.metadata.column), cutAt('z'.repeat(room)));
  assert.equal(summary.table.ints[TRUNCATED], 1);
});

test('a field without a source is absent in reused memory', () => {
  const { table } = read('{"tokens_in":5,"cost_usd":1,"client_timestamp":"2026-01-01T00:00:00Z"}');
  assert.equal(table.ints.length, INT_WIDTH);
  const given = ['session_id', 'agent_type', 'metadata'];
  for (const { name, kind, column, absent } of FIELD_SPECS.filter((field) => !given.includes(field.name))) {
    if (kind === 'text') assert.deepEqual([table.ints[column], table.ints[column + 1]], [0, 0], name);
    else if (kind !== 'choice') assert.equal(table.numbers[column], absent, name);
  }
});

test('only a payload that is not an object is refused', () => {
  for (const text of ['[]', '7', 'null', '"{}"', ' true ']) {
    const { table, problems } = read(text);
    assert.deepEqual(problems, ['body: must be a JSON object'], text);
    assert.equal(table.count, 0);
  }
});

test('every hook about a call has the id of that call', () => {
  const idOf = (payload: object): string | undefined =>
    textAt(read(JSON.stringify(payload)), FIELD.event_id.column);
  const call = { session_id: ' s ', tool_use_id: 'toolu_1' };
  const id = sameId('call', 'claude_code', 's', 'toolu_1');
  assert.equal(idOf({ hook_event_name: 'PostToolUse', ...call }), id);
  assert.equal(idOf({ hook_event_name: 'PostToolUseFailure', ...call }), id);
  assert.notEqual(idOf({ hook_event_name: 'PostToolUse', ...call, session_id: 'other' }), id);
  // A step announces a call but is not the call.
  assert.equal(idOf({ hook_event_name: 'PreToolUse', ...call }), undefined);
  for (const none of ['', 7, null])
    assert.equal(idOf({ hook_event_name: 'PostToolUse', ...call, tool_use_id: none }), undefined);
  assert.equal(
    idOf({ hook_event_name: 'UserPromptSubmit', prompt_id: 'p' }),
    sameId('prompt', 'claude_code', 'unknown', 'p'),
  );
});

test('a subagent of Codex has its own session', () => {
  const payload = { hook_event_name: 'PostToolUse', session_id: 's', agent_id: 'a', tool_use_id: 't' };
  const found = read(JSON.stringify(payload), 10_240, 'codex');
  assert.equal(textAt(found, FIELD.session_id.column), 'a');
  const id = sameId('call', 'codex', 'a', 't');
  assert.equal(textAt(found, FIELD.event_id.column), id);
});
