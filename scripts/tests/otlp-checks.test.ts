/** Tests `checkOtlp` on made-up files: a valid one, and others with wrong words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkOtlp } from '../checks/otlp.ts';
import type { Json } from '../contract-facts.ts';

const OTLP = {
  requests: { '/v1/logs': { message: 'Logs', signal: 'logs', rejected: 'rejectedLogs' } },
  messages: { Logs: [[1, 'logs', 'Log[]']], Log: [[5, 'body', 'string']] },
  reasons: ['invalid'],
  status_codes: { 400: 3, 429: 8 },
};
const ROUTES = { routes: [{ path: '/v1/logs', reads: ['json', 'protobuf'] }] };

function otlpProblems(otlp: Json): string[] {
  return checkOtlp(otlp, ROUTES, { bad: { status: 400 } }).map((text) => text.slice('otlp.json: '.length));
}

test('valid messages have no problem', () => {
  assert.deepEqual(otlpProblems(OTLP), []);
});

test('unknown messages, requests and codes are problems', () => {
  const broken = {
    requests: { '/v1/other': { message: 'Other', signal: 'noise', rejected: 7, colour: 'red' } },
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
