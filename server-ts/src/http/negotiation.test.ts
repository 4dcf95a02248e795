import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { ROUTES } from '../contract.ts';
import { type Head, readHead } from './head.ts';
import { chooseAnswer, contentFormat } from './negotiation.ts';

function head(method: string, ...rawHeaders: string[]): Head {
  return readHead({ method, url: '/', rawHeaders, httpVersion: '1.1' } as IncomingMessage);
}

function chosen(path: string, method: string, accept: string): string | undefined {
  try {
    return chooseAnswer(head(method, 'accept', accept), ROUTES.find((route) => route.path === path)!)
      .mediaType;
  } catch {
    return undefined;
  }
}

test('the greatest weight wins, and the first of equal ones', () => {
  const cases: [accept: string, mediaType: string][] = [
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['application/x-msgpack', 'application/x-msgpack'],
    ['APPLICATION/X-NDJSON', 'application/x-ndjson'],
    ['application/json;q=0.5, application/protobuf;q=0.6', 'application/protobuf'],
    ['application/protobuf, application/json', 'application/json'],
    ['*/*;q=0.1, application/json;q=0', 'application/x-ndjson'],
    ['*/*, application/json;q=0.999', 'application/x-ndjson'],
    ['application/json;q=2, */*', 'application/json'],
    ['application/json;v=1;q=0.0001, application/x-ndjson;q=0.9', 'application/json'],
  ];
  for (const [accept, mediaType] of cases)
    assert.equal(chosen('/api/events', 'GET', accept), mediaType, accept);
});

test('a POST is answered only in JSON', () => {
  assert.equal(chosen('/api/events', 'POST', '*/*'), 'application/json');
  assert.equal(chosen('/api/events', 'POST', 'application/protobuf'), undefined);
  for (const accept of ['text/html', '', 'application/json;q=0, application/json']) {
    assert.equal(chosen('/api/events', 'GET', accept), undefined, accept);
  }
});

test('a content type may have parameters', () => {
  const route = ROUTES.find(({ path }) => path === '/api/events/batch')!;
  const format = (value: string) => contentFormat(head('POST', 'content-type', value), route);
  const good = [
    '; Charset="UTF-8"',
    ';',
    ' ;\t; ;charset=utf-8 ; ',
    '; charset="utf\\-8"',
    '; v=1',
    '; v="a;b\\"c"; charset=utf-8',
  ];
  for (const parameters of good) assert.equal(format(`application/json${parameters}`), 'json', parameters);
  assert.equal(format('Application/X-NDJSON'), 'ndjson');
  assert.equal(format('application/x-protobuf;encoding=binary'), 'protobuf');
  assert.equal(format('application/msgpack;charset=utf-8'), 'msgpack');
  const bad = [
    'application/json; charset',
    'application/json; charset=',
    'application/json; =utf-8',
    'application/json; charset =utf-8',
    'application/json; charset="utf-8',
    'application/json; charset="utf-8"x',
    'application/json; v="\\',
    'application/json; v=a b',
    'application/json; charset=utf-8; charset=utf-16',
    'application/jsonx; v=1',
    'application/vnd.apache.arrow.stream',
  ];
  for (const value of bad) assert.throws(() => format(value), { code: 'unsupported_media_type' }, value);
});
