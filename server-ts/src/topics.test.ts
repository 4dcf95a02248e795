import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from './contract.ts';
import { parseTopic, parseTopics, topicNamed } from './topics.ts';

const LONGEST = 'é'.repeat(128);

test('the parser separates topics from other text', () => {
  for (const [text, name] of [
    ['events', 'events'],
    ['stats', 'stats'],
    ['sessions', 'sessions'],
    ['session:s', 'session:s'],
    ['session:events', 'session:events'],
    ['session:a%2Fb%2c+%25', 'session:a/b,+%'],
    ['session:a:b', 'session:a:b'],
    ['session:%C3%A9', 'session:é'],
    [`session:${encodeURIComponent(LONGEST)}`, `session:${LONGEST}`],
    [`session:${encodeURIComponent(LONGEST)}x`, undefined],
    ['session:', undefined],
    ['session:%20a', undefined],
    ['session:a%EF%BB%BF', undefined],
    ['session:a%00', undefined],
    ['session:%', undefined],
    ['session:%ff', undefined],
    ['session%3As', undefined],
    ['%65vents', undefined],
    ['Events', undefined],
    ['session', undefined],
    [' events', undefined],
    ['', undefined],
    ['__proto__', undefined],
  ] as const) {
    assert.equal(parseTopic(text)?.name, name, text);
  }
});

test('a session topic is found by its id', () => {
  assert.deepEqual(parseTopic('session:%61'), { kind: 'session', name: 'session:a', sessionId: 'a' });
  assert.equal(parseTopic('sessions')?.kind, 'sessions');
});

test('a topic is found by its name', () => {
  for (const name of ['events', 'stats', 'sessions', 'session:a b', 'session:%41/é,']) {
    assert.equal(topicNamed(name)?.name, name);
  }
  const longest = `session:${'x'.repeat(256)}`;
  assert.equal(topicNamed(longest)?.name, longest);
  for (const name of [
    '',
    'Events',
    'events ',
    'session',
    'session:',
    'session: a',
    'session:a\0',
    `${longest}x`,
  ]) {
    assert.equal(topicNamed(name), undefined, name);
  }
});

test('a list keeps each topic once, in order', () => {
  for (const [list, names] of [
    ['stats,events', ['stats', 'events']],
    ['events,stats,events', ['events', 'stats']],
    ['session:a,session:%61', ['session:a']],
    ['session:a%2Cb', ['session:a,b']],
    ['events,', undefined],
    [',', undefined],
    ['', undefined],
    ['events, stats', undefined],
    ['events,nothing', undefined],
  ] as const) {
    assert.deepEqual(
      parseTopics(list)?.map(({ name }) => name),
      names,
      list,
    );
  }
});

test('a list is bounded by its distinct topics', () => {
  const most = LIMITS.stream_topics;
  const list = (count: number) => Array.from({ length: count }, (_, n) => `session:${n}`).join(',');
  assert.equal(parseTopics(list(most))?.length, most);
  assert.equal(parseTopics(list(most + 1)), undefined);
  assert.equal(parseTopics(`${list(most)},${list(most)}`)?.length, most);
});
