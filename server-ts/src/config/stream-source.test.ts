/** Tests which servers and streams of NATS are accepted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStreamName, NAME_CHARACTERS, parseNats } from './stream-source.ts';

test('a server of NATS has a host and no path', () => {
  const good = { 'nats://127.0.0.1:4222': '127.0.0.1:4222', 'nats://[::1]': '[::1]', 'nats://a.b': 'a.b' };
  for (const [text, host] of Object.entries(good)) assert.equal(parseNats(text), host);
  const bad = ['', '127.0.0.1:4222', 'http://a', 'nats://', 'nats://a/', 'nats://u:p@a', 'nats://a:0'];
  for (const text of bad) assert.equal(parseNats(text), undefined, text);
});

test('the name of a stream is one token of a subject', () => {
  assert.ok(['a', 'Board-1', 'x_y'].every(isStreamName));
  const bad = ['', 'a.b', 'a b', '*', '>', '\u00e9', 'x'.repeat(NAME_CHARACTERS + 1)];
  assert.ok(!bad.some(isStreamName));
});
