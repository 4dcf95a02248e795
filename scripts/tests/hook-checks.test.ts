/** Tests `checkHooks` on made-up mappings: a valid one, and others with wrong words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkHooks } from '../checks/hooks.ts';
import { checkSummaries } from '../checks/summaries.ts';
import type { Json } from '../contract-facts.ts';

const VOCABULARY = {
  event_types: ['tool_use', 'plan_step', 'error'],
  statuses: ['success', 'error'],
  sources: ['api', 'hook'],
  waiting_reasons: ['permission'],
};
const EVENT = { properties: { session_id: {}, project: {} } };

/** A valid mapping with every key that one may have. */
const HOOKS = {
  name_key: 'name',
  agent_type: 'agent',
  source: 'hook',
  fields: [
    { field: 'session_id', key: 'id', default: 'unknown' },
    { field: 'project', key: 'cwd', take: 'last_segment' },
    { field: 'project', key: 'to', hooks: ['End'] },
  ],
  summary_keys: ['name', 'id'],
  hooks: {
    Start: { event_type: 'plan_step', connect: 'http' },
    End: { event_type: 'tool_use', status: 'error', same: { kind: 'call', key: 'id' } },
  },
  other: { event_type: 'plan_step' },
  waits: {
    Start: { reminds: true, begins: [{ reason: 'permission', key: 'tool', values: ['Bash'] }] },
    End: { ends: 'agent', begins: [{ reason: 'permission' }] },
  },
};

function problemsOf(mapping: Parameters<typeof checkHooks>[1]): string[] {
  return checkHooks('hooks/agent.json', mapping, VOCABULARY, EVENT);
}

test('a valid mapping has no problem', () => {
  assert.deepEqual(problemsOf(HOOKS), []);
});

test('a hook with same and no effect on waits is a problem', () => {
  const { Start } = HOOKS.waits;
  assert.deepEqual(problemsOf({ ...HOOKS, waits: { Start } }), [
    'hooks/agent.json: End: same needs an entry in waits',
  ]);
});

test('wrong words are reported with their places', () => {
  const hooks = {
    ...HOOKS,
    source: 'web',
    fields: [
      ...HOOKS.fields,
      { field: 'project', key: 1, take: 'half' },
      { field: 'colour', key: 'c', default: 1, hooks: ['Middle'] },
    ],
    summary_keys: ['id', 'a b', 'id'],
    hooks: {
      Start: { event_type: 'start', status: 'fine', connect: 'wire' },
      End: { event_type: 'error', status: 'error', same: { kind: 'call', name: 'id' }, colour: 'red' },
    },
    other: null,
    waits: {
      Middle: { ends: 'all', reminds: 1, begins: {} },
      Start: { begins: [{ reason: 'boredom' }, { reason: 'permission', key: 'k' }] },
    },
  };
  assert.deepEqual(problemsOf(hooks), [
    'hooks/agent.json: source "web" is none of api hook',
    'hooks/agent.json: project: key is no text',
    'hooks/agent.json: project: take "half" is none of last_segment',
    'hooks/agent.json: field "colour" is none of session_id project',
    'hooks/agent.json: colour: hooks "Middle" is none of Start End',
    'hooks/agent.json: colour: default is no text',
    'hooks/agent.json: summary_keys do not begin with name',
    'hooks/agent.json: summary_keys: "a b" is no plain key, or is there twice',
    'hooks/agent.json: summary_keys: "id" is no plain key, or is there twice',
    'hooks/agent.json: Start: event_type "start" is none of tool_use plan_step error',
    'hooks/agent.json: Start: status "fine" is none of success error',
    'hooks/agent.json: Start: connect "wire" is none of http command',
    'hooks/agent.json: End: colour means nothing',
    'hooks/agent.json: End: status error is what EVT-03 says',
    'hooks/agent.json: End: same: name means nothing',
    'hooks/agent.json: End: same: key is no text',
    'hooks/agent.json: other is no object',
    'hooks/agent.json: waits: hook "Middle" is none of Start End',
    'hooks/agent.json: waits: Middle: ends "all" is none of agent session',
    'hooks/agent.json: waits: Middle: reminds is no boolean',
    'hooks/agent.json: waits: Middle: begins is no array',
    'hooks/agent.json: waits: Start: reason "boredom" is none of permission',
    'hooks/agent.json: waits: Start: boredom needs a key and its values',
    'hooks/agent.json: waits: Start: permission needs a key and its values',
    'hooks/agent.json: End: same needs an entry in waits',
    'hooks/agent.json: project is taken twice',
  ]);
});

test('a mapping without its parts has problems', () => {
  assert.deepEqual(problemsOf([]), ['hooks/agent.json is no object']);
  assert.deepEqual(problemsOf({ source: 'hook' }), [
    'hooks/agent.json: name_key is no text',
    'hooks/agent.json: agent_type is no text',
    'hooks/agent.json: fields is no array',
    'hooks/agent.json: summary_keys is no array',
    'hooks/agent.json: hooks is no object',
    'hooks/agent.json: other is no object',
  ]);
});

const SUMMARIES = { object_paths: [], known: [], hooks: { End: ['{a.b|c}', 'The end'] }, other: ['A hook'] };

function summaryProblems(summaries: Json | undefined): string[] {
  const mapping = { hooks: { End: { event_type: 'tool_use' } } };
  return checkSummaries('hooks/agent.json', mapping, new Map([['hooks/agent.summaries.json', summaries]]));
}

test('valid summaries have no problem', () => {
  assert.deepEqual(summaryProblems(SUMMARIES), []);
});

test('a hook without a summary, and a summary that may be empty, are problems', () => {
  assert.deepEqual(summaryProblems({ ...SUMMARIES, hooks: {} }), [
    'hooks/agent.summaries.json: End has no summary',
  ]);
  assert.deepEqual(summaryProblems({ ...SUMMARIES, hooks: { End: ['{a..b}', '{a}'] } }), [
    'hooks/agent.summaries.json: End: {a..b} is no path',
    'hooks/agent.summaries.json: End: the last template needs something from the payload',
  ]);
  assert.deepEqual(summaryProblems({ ...SUMMARIES, known: 'x', hooks: { End: 'x' } }), [
    'hooks/agent.summaries.json: known is no list of texts',
    'hooks/agent.summaries.json: End is no list of templates',
  ]);
  assert.deepEqual(summaryProblems(undefined), [
    'hooks/agent.json has no summaries: hooks/agent.summaries.json is not there',
  ]);
});
