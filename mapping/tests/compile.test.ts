/** Tests that a mapping with a wrong word, a cycle or an impossible value is refused with its place. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import VOCABULARY from '../../contract/vocabulary.json' with { type: 'json' };
import { compileAgents } from '../src/mapping.ts';
import { MappingError } from '../src/problems.ts';

type Json = Record<string, unknown>;

const HOOKS: Json = {
  source: 'hook',
  name: { from: ['name'] },
  summary: ['name', 'id'],
  fields: { session_id: { from: 'id', default: 'unknown' }, tokens_in: 'tokens' },
  records: {
    End: { event_type: 'tool_use', same: { kind: 'call', from: 'call' }, state: { ends: 'agent' } },
    '*': { event_type: 'plan_step' },
  },
};
const TELEMETRY: Json = {
  source: 'otel',
  known_by: { scopes: ['agent'] },
  name: { from: ['event.name'], prefix: 'agent.' },
  id: ['$span_id'],
  omit: [],
  fields: { session_id: 'session.id' },
  logs: { call: { event_type: 'tool_use' } },
  spans: { call: { event_type: 'tool_use', fields: { call_id: ['call.id', '$parent/call.id'] } } },
};
const TRANSCRIPTS: Json = {
  source: 'import',
  folder: { variable: 'AGENT_HOME', home: '.agent', below: 'sessions' },
  name: { join: ['type'] },
  time: 'time',
  keep: { session_id: { from: 'id', once: true } },
  first: { event_type: 'session_start' },
  last: { event_type: 'session_end' },
  records: { call: [{ begin: { call: 'call' } }, { each: 'items', event_type: 'response' }] },
};

function problemsOf(mappings: Json): readonly string[] {
  try {
    compileAgents({ agent: { label: 'Agent', agent_type: 'agent', ...mappings } });
    return [];
  } catch (error) {
    assert.ok(error instanceof MappingError, String(error));
    return error.problems;
  }
}

const hooksWith = (change: Json) => problemsOf({ hooks: { ...HOOKS, ...change } });
const telemetryWith = (change: Json) => problemsOf({ telemetry: { ...TELEMETRY, ...change } });
const transcriptsWith = (change: Json) => problemsOf({ transcripts: { ...TRANSCRIPTS, ...change } });
/** Returns the problems of one rule of telemetry. */
const rule = (spec: unknown) => telemetryWith({ logs: { call: spec } });
const field = (name: string, value: unknown) => rule({ event_type: 'tool_use', fields: { [name]: value } });

test('the mappings of the contract have no problem', () => {
  const text = readFileSync(new URL('../../contract/agents.json', import.meta.url), 'utf8');
  assert.ok(compileAgents(JSON.parse(text)).length > 3);
  assert.deepEqual(problemsOf({ hooks: HOOKS, telemetry: TELEMETRY, transcripts: TRANSCRIPTS }), []);
});

test('an unknown word is reported with its place', () => {
  const LOG = 'agents/agent/telemetry.json: logs/call';
  const cases: [readonly string[], string][] = [
    [problemsOf({ hook: {} }), 'agents/agent/agent.json: hook means nothing'],
    [hooksWith({ sumary: [] }), 'agents/agent/hooks.json: sumary means nothing'],
    [rule({ event_type: 'tool_use', wehn: {} }), `${LOG}: wehn means nothing`],
    [rule({ event_type: 'tool_use', each: 'items' }), `${LOG}: each means nothing`],
    [rule({ event_type: 'tool_use', state: { ends: 'agent' } }), `${LOG}: state means nothing`],
    [
      rule({ event_type: 'tool_used' }),
      `${LOG}/event_type: "tool_used" is none of ${VOCABULARY.event_types.join(' ')}`,
    ],
    [field('tokens', 'x'), `${LOG}/fields/tokens: no mapping can give this field`],
    [field('source', 'x'), `${LOG}/fields/source: no mapping can give this field`],
    [
      field('tokens_in', { summ: ['x'] }),
      `${LOG}/fields/tokens_in: summ means nothing; ${LOG}/fields/tokens_in: needs one of from sum counter constant`,
    ],
    [
      field('project', { from: 'x', take: 'first' }),
      `${LOG}/fields/project/take: "first" is none of last_segment`,
    ],
    [
      hooksWith({ records: { '*': { event_type: 'plan_step', state: { begins: 'rest' } } } }),
      `agents/agent/hooks.json: records/*/state/begins: "rest" is none of ${VOCABULARY.waiting_reasons.join(' ')}`,
    ],
    [field('model', '$parent/model'), `${LOG}/fields/model: $parent/model is no path here`],
    [field('model', '$each/model'), `${LOG}/fields/model: $each/model is no path here`],
    [field('model', 'a//b'), `${LOG}/fields/model: a//b has an empty key`],
    [field('model', 'a~2'), `${LOG}/fields/model: a~2 has a ~ that is neither ~0 nor ~1`],
  ];
  for (const [found, expected] of cases) assert.equal(found.join('; '), expected);
});

test('a cycle of names and a missing name are reported', () => {
  const event = { event_type: 'tool_use' };
  assert.deepEqual(telemetryWith({ logs: { a: { as: 'b' }, b: { as: 'c' }, c: event } }), []);
  assert.deepEqual(telemetryWith({ logs: { a: { as: 'b' }, b: { as: 'a' } } }), [
    'agents/agent/telemetry.json: logs/b/as: a is b is a, a cycle',
    'agents/agent/telemetry.json: logs/a/as: b is a is b, a cycle',
  ]);
  assert.deepEqual(telemetryWith({ logs: { a: { as: 'a' } } }), [
    'agents/agent/telemetry.json: logs/a/as: a is a, a cycle',
  ]);
  assert.deepEqual(telemetryWith({ logs: { a: { as: 'constructor' } } }), [
    'agents/agent/telemetry.json: logs/a/as: there is no constructor',
  ]);
});

test('a value that its field cannot have is reported', () => {
  const AT = 'agents/agent/telemetry.json: logs/call/fields';
  const cases: [readonly string[], string][] = [
    [field('model', { sum: ['a'] }), `${AT}/model/sum: model is no integer`],
    [field('cost_usd', { sum: ['a'] }), `${AT}/cost_usd/sum: cost_usd is no integer`],
    [
      field('tokens_in', { from: 'a', take: 'last_segment' }),
      `${AT}/tokens_in: take needs from, and a field of text`,
    ],
    [field('tokens_in', { constant: 'many' }), `${AT}/tokens_in/constant: "many" is no value of tokens_in`],
    [field('tokens_in', { constant: 1.5 }), `${AT}/tokens_in/constant: 1.5 is no value of tokens_in`],
    [field('status', { constant: 'failed' }), `${AT}/status/constant: "failed" is no value of status`],
    [field('model', { from: 'a', default: ' ' }), `${AT}/model/default: " " is no value of model`],
    [field('tokens_in', { from: 'a', less: ['b'] }), `${AT}/tokens_in: less needs sum`],
    [
      field('tokens_in', { counter: 'a' }),
      `${AT}/tokens_in/counter: only the reader of transcripts keeps counters`,
    ],
    [field('model', [{ from: 'a', default: 'b' }, 'c']), `${AT}/model/0: default means nothing`],
    [field('model', []), `${AT}/model: is empty`],
    [field('model', 7), `${AT}/model: is no object; ${AT}/model: needs one of from sum counter constant`],
  ];
  for (const [found, expected] of cases) assert.equal(found.join('; '), expected);
});

test('a mapping that leaves records without an event is reported', () => {
  const hooks = 'agents/agent/hooks.json: ';
  const always = { event_type: 'plan_step' };
  assert.deepEqual(hooksWith({ fields: { session_id: 'id' } }), [
    `${hooks}fields: session_id needs a default`,
  ]);
  assert.deepEqual(hooksWith({ records: { End: always } }), [
    `${hooks}records: * needs a rule that always applies`,
  ]);
  assert.deepEqual(hooksWith({ records: { End: 'noise', '*': always } }), [
    `${hooks}records/End: every payload is an event`,
  ]);
  assert.deepEqual(hooksWith({ records: { '*': { ...always, same: { kind: 'call', from: 'id' } } } }), [
    `${hooks}records/*: same needs a state`,
  ]);
  assert.deepEqual(rule([always, { event_type: 'error' }]), [
    'agents/agent/telemetry.json: logs/call/1: is behind a rule that always applies',
  ]);
  assert.deepEqual(rule({ fields: {} }), ['agents/agent/telemetry.json: logs/call: has no event_type']);
  assert.deepEqual(telemetryWith({ fields: {} }), [
    'agents/agent/telemetry.json: fields: session_id is missing',
  ]);
  assert.deepEqual(telemetryWith({ known_by: {} }), ['agents/agent/telemetry.json: known_by: is empty']);
  assert.deepEqual(transcriptsWith({ keep: {} }), [
    'agents/agent/transcripts.json: no rule keeps session_id',
  ]);
  assert.deepEqual(transcriptsWith({ records: { call: { fields: {} } } }), [
    'agents/agent/transcripts.json: records/call: has no event_type',
  ]);
});

test('any value in place of a part is a problem and no other error', () => {
  const strange = [null, true, 7, '', 'x', [], [7], {}, { x: 7 }];
  const swap = (value: unknown, replacement: unknown): Json[] => {
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, member]) => {
      const put = (other: unknown): Json =>
        (Array.isArray(value)
          ? value.map((item, at) => (String(at) === name ? other : item))
          : { ...value, [name]: other }) as Json;
      return [put(replacement), ...swap(member, replacement).map(put)];
    });
  };
  const agent = { hooks: HOOKS, telemetry: TELEMETRY, transcripts: TRANSCRIPTS };
  for (const replacement of strange) for (const mappings of swap(agent, replacement)) problemsOf(mappings);
});
