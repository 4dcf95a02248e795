/** Tests that every part of the client refuses an unreachable base URL before the first request. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { iterateEvents } from '../src/iterate.ts';
import { events, sessions, stats } from '../src/read.ts';
import { Sender } from '../src/send.ts';
import { streamEvents } from '../src/stream.ts';
import { Topics } from '../src/topics.ts';

const WRONG = [
  'nonsense',
  '127.0.0.1:3141',
  'localhost:3141',
  '/api',
  '//127.0.0.1:3141',
  'ftp://127.0.0.1',
  'file:///tmp/events.db',
  'http://',
  'http://a b',
  'http://127.0.0.1:99999',
  'http://user:password@127.0.0.1:3141',
  'http://127.0.0.1:3141?token=x',
  'http://127.0.0.1:3141/#top',
];
const REFUSAL = { name: 'TypeError', message: /^baseUrl must be like http:\/\/127\.0\.0\.1:3141, not "/ };

for (const baseUrl of WRONG)
  test(`${baseUrl} is refused at construction`, async () => {
    const { signal } = new AbortController();
    assert.throws(() => new Sender({ baseUrl }), REFUSAL);
    assert.throws(() => new Topics({ baseUrl, topics: ['events'] }), REFUSAL);
    assert.throws(() => iterateEvents({ baseUrl }), REFUSAL);
    await assert.rejects(streamEvents({ baseUrl, signal, onEvent: () => undefined }), REFUSAL);
    for (const read of [events, sessions, stats]) await assert.rejects(read({ baseUrl }), REFUSAL);
  });

test('a missing base URL is refused without a page and without a custom fetch', () => {
  assert.throws(() => new Sender(), REFUSAL);
  assert.throws(() => new Topics({ topics: ['events'] }), REFUSAL);
  new Sender({ fetch: async () => Response.json({}) }).stop();
});

test('a page needs no base URL', (t) => {
  Object.defineProperty(globalThis, 'location', { value: {}, configurable: true });
  t.after(() => Reflect.deleteProperty(globalThis, 'location'));
  new Sender().stop();
});

test('a base URL may have a path, a slash at its end, an IPv6 address and capital letters', () => {
  for (const baseUrl of [
    'http://127.0.0.1:3141/',
    'https://example.org/ingest',
    'http://[::1]:3141',
    'HTTP://LOCALHOST',
  ])
    new Sender({ baseUrl }).stop();
});
