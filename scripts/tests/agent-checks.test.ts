/** Tests `checkAgent` and `checkOtlp` on made-up files: valid ones, and others with wrong words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAgent } from '../checks/agents.ts';
import { checkOtlp } from '../checks/otlp.ts';
import type { Fields } from '../contract/fields.ts';
import type { Json } from '../contract-facts.ts';

const VOCABULARY = { event_types: ['tool_use', 'error'], sources: ['api', 'otel'] };
const FIELDS = {
  fields: {
    session_id: { kind: 'text' },
    source_event: { kind: 'text' },
    tokens_in: { kind: 'integer' },
    cost_usd: { kind: 'dollars' },
    status: { kind: 'choice' },
  },
} as unknown as Fields;

/** A valid mapping with every key that one may have. */
const AGENT = {
  about: 'An agent',
  agent_type: 'agent',
  captured: '1.0',
  not_captured: ['x.call', 'step'],
  scopes: ['agent'],
  services: [],
  attribute_prefix: 'x.',
  agent_type_keys: ['name'],
  name_keys: ['event.name'],
  name_prefix: 'x.',
  dropped_keys: ['user.id'],
  fields: [
    { field: 'session_id', keys: ['id', '$trace_id'] },
    { field: 'cost_usd', keys: ['cost', '$parent.cost'] },
  ],
  event_id: ['id', '$span_id'],
  logs: {
    call: [
      {
        when: { kind: 'end', tokens: '*' },
        event_type: 'tool_use',
        status: { key: 'success', error: ['false'] },
        same: { kind: 'call', key: 'call_id' },
        fields: [{ field: 'tokens_in', keys: ['tokens'], plus: ['more'], less: ['cached'] }],
      },
      'noise',
    ],
    other: 'noise',
  },
  spans: {
    step: [{ event_type: 'error', status: { key: 'code', error_unless: ['200'] } }],
    '*': 'noise',
  },
};

function problemsOf(mapping: Json): string[] {
  return checkAgent('agents/agent.json', mapping, VOCABULARY, FIELDS).map((text) =>
    text.slice('agents/agent.json: '.length),
  );
}

test('a valid mapping has no problem', () => {
  assert.deepEqual(problemsOf(AGENT), []);
});

test('wrong words are reported with their places', () => {
  const broken = {
    ...AGENT,
    colour: 'red',
    not_captured: ['gone'],
    services: [7],
    event_id: ['$nothing', '$parent.id'],
    fields: [
      { field: 'session_id', keys: [], take: 'half' },
      { field: 'source_event', keys: ['a'] },
      { field: 'status', keys: ['a'] },
      { field: 'cost_usd', keys: ['a'], less: ['b'] },
      { field: 'colour', keys: ['$parent.'] },
      'tokens_in',
    ],
    logs: {
      call: [
        'noise',
        {
          when: { kind: 7 },
          event_type: 'call',
          status: { key: '$parent.code' },
          same: { kind: 'call' },
          fields: { field: 'tokens_in' },
          colour: 'red',
        },
        7,
      ],
      other: 'loud',
    },
    spans: { step: [{ event_type: 'error', status: { key: 'code', error: ['a'], error_unless: ['b'] } }] },
  };
  assert.deepEqual(problemsOf(broken), [
    'colour means nothing',
    'services is no list of texts',
    'not_captured: gone is no name of a record',
    'session_id: take means nothing',
    'session_id has no keys',
    'source_event cannot come from a key',
    'status cannot come from a key',
    'cost_usd cannot come from a key',
    'colour cannot come from a key',
    'colour: "$parent." is no key',
    '"tokens_in" is no field',
    '"$nothing" is no key',
    '"$parent.id" is no key',
    'logs: call: an entry without when is the last',
    'logs: call: colour means nothing',
    'logs: call: event_type "call" is none of tool_use error',
    'logs: call: when is no object of texts',
    'logs: call: status: "$parent.code" is no key',
    'logs: call: status needs error or error_unless',
    'logs: call: same: key is no text',
    'logs: call: fields is no array',
    'logs: call: 7 is no entry',
    'logs: other is neither noise nor a list of entries',
    'spans: step: status needs error or error_unless',
  ]);
});

test('a mapping without its matching, agent or captured parts has problems', () => {
  const bare: { [key: string]: Json } = { ...AGENT, scopes: [], fields: [], captured: null };
  delete bare.attribute_prefix;
  assert.deepEqual(problemsOf(bare), [
    'nothing says which records it is of',
    'nothing was captured, so not_captured is ["*"]',
    'fields have no session_id',
  ]);
  assert.deepEqual(checkAgent('agents/agent.json', [], VOCABULARY, FIELDS), [
    'agents/agent.json is no object',
  ]);
});

const OTLP = {
  requests: { '/v1/logs': { message: 'Logs', signal: 'logs', rejected: 'rejectedLogs' } },
  agents: ['agent'],
  messages: { Logs: [[1, 'logs', 'Log[]']], Log: [[5, 'body', 'string']] },
  reasons: ['invalid'],
  status_codes: { 400: 3, 429: 8 },
};
const ROUTES = { routes: [{ path: '/v1/logs', reads: ['json', 'protobuf'] }] };

function otlpProblems(otlp: Json): string[] {
  const files = ['otlp.json', 'agents/agent.json'];
  return checkOtlp(otlp, ROUTES, { bad: { status: 400 } }, files).map((text) =>
    text.slice('otlp.json: '.length),
  );
}

test('valid messages have no problem', () => {
  assert.deepEqual(otlpProblems(OTLP), []);
});

test('unknown messages, requests, agents and codes are problems', () => {
  const broken = {
    requests: { '/v1/other': { message: 'Other', signal: 'noise', rejected: 7, colour: 'red' } },
    agents: ['other'],
    messages: {
      Logs: [
        [1, 'logs', 'Other[]'],
        [1, 'more', 'string'],
        ['2', 'x', 'string'],
      ],
      Log: {},
    },
    reasons: [''],
    status_codes: { 418: '3' },
  };
  assert.deepEqual(otlpProblems(broken), [
    'reasons is no list of texts',
    'agents/other.json is not there',
    'agents/agent.json is of no agent',
    'Logs: logs is a Other[], which is no type',
    'Logs: more has a number that is taken',
    'Logs: ["2","x","string"] is no field',
    'Log is no list of fields',
    '/v1/other: colour means nothing',
    '/v1/other: Other is no message',
    '/v1/other: noise is no signal',
    '/v1/other: rejected is no text',
    '/v1/other is no route that reads json and protobuf',
    'status_codes: no error has the status 418',
    'status_codes: the code of 418 is no integer',
  ]);
});
