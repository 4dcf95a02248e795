/** Tests parsing server-sent events: the examples of the standard, and random text compared with a package. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { createParser } from 'eventsource-parser';
import { type Message, messageParser } from '../src/message-parser.ts';

/** Returns the parsed messages, comments and values of `retry`. */
function parsed(pieces: readonly string[]) {
  const messages: Message[] = [];
  const comments: string[] = [];
  const retries: string[] = [];
  const parse = messageParser(
    (message) => messages.push(message),
    (name, value) => {
      if (name === '') comments.push(value);
      if (name === 'retry') retries.push(value);
    },
  );
  for (const piece of pieces) parse(piece);
  return { messages, comments, retries };
}

test('the parser reads the examples of the standard', () => {
  const stream = [
    ': test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n',
    'data: YHOO\ndata: +2\ndata: 10\n\n',
    'data\n\ndata\ndata\n\ndata:',
  ];
  const { messages, comments } = parsed(stream);
  assert.deepEqual(
    messages.map(({ data, id }) => [data, id]),
    [
      ['first event', '1'],
      ['second event', ''],
      [' third event', undefined],
      ['YHOO\n+2\n10', undefined],
      ['', undefined],
      ['\n', undefined],
    ],
  );
  assert.deepEqual(comments, ['test stream']);
});

test('the parser ends a line at CR, LF and CRLF, at any split of the text', () => {
  const text = 'event: a\rdata: 1\r\rdata: 2\r\n\r\ndata: 3\n\ndata: 4\r\n\n';
  for (let at = 0; at <= text.length; at++) {
    const { messages } = parsed([text.slice(0, at), text.slice(at)]);
    assert.deepEqual(
      messages.map(({ data, event }) => [data, event]),
      [
        ['1', 'a'],
        ['2', undefined],
        ['3', undefined],
        ['4', undefined],
      ],
      `cut at ${at}`,
    );
  }
});

const WORDS = [
  'data',
  'data: ',
  'data:x\n',
  'data: y\n\n',
  'event',
  'id',
  'retry',
  ':',
  ': ',
  '\n',
  '\r',
  '\r\n',
  '\n\n',
  ' ',
  'é😀',
  '12',
];

test('the parser reads 2,000 random streams as eventsource-parser does', () => {
  const random = seededRandom(29);
  let count = 0;
  for (let i = 0; i < 2000; i++) {
    const pieces = Array.from({ length: 1 + random.below(12) }, () =>
      Array.from({ length: random.below(8) }, () => random.pick(WORDS)).join(''),
    );
    const messages: Message[] = [];
    const comments: string[] = [];
    const retries: string[] = [];
    const parser = createParser({
      onEvent: ({ data, event, id }) => messages.push({ data, event: event ?? '', id: id ?? '' }),
      onComment: (text) => comments.push(text),
      onRetry: (ms) => retries.push(String(ms)),
    });
    for (const piece of pieces) parser.feed(piece);
    const ours = parsed(pieces);
    assert.deepEqual(
      {
        messages: ours.messages.map(({ data, event = '', id = '' }) => ({ data, event, id })),
        comments: ours.comments,
        retries: ours.retries.filter((value) => /^\d+$/.test(value)).map((value) => String(Number(value))),
      },
      { messages, comments, retries },
      JSON.stringify(pieces),
    );
    count += messages.length;
  }
  assert.ok(count > 1000, `${count} messages`);
});
