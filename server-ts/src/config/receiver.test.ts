import assert from 'node:assert/strict';
import test from 'node:test';
import { parseReceiver } from './receiver.ts';

test('a receiver has a scheme and a host', () => {
  const good = [
    ['http://127.0.0.1:3141', 'http://127.0.0.1:3141', '127.0.0.1:3141'],
    ['https://board.example.org/', 'https://board.example.org', 'board.example.org'],
    [
      'https://board.example.org:8443/team/a//',
      'https://board.example.org:8443/team/a',
      'board.example.org:8443',
    ],
    ['http://[::1]:1', 'http://[::1]:1', '[::1]:1'],
    ['http://[::1]', 'http://[::1]', '[::1]'],
  ];
  for (const [text, url, host] of good) assert.deepEqual(parseReceiver(text!), { url, host }, text);
  const bad = [
    '',
    'board',
    'board:3141',
    'ftp://board',
    'HTTP://board',
    'http://',
    'http:///x',
    'http://user@board',
  ];
  const worse = ['http://board?x', 'http://board#x', 'http://board:0', 'http://board:65536', 'http://board:'];
  const worst = ['http://a b', 'http://board/%20', 'http://[]', 'http://[::1', 'http://board:1:2'];
  for (const text of [...bad, ...worse, ...worst]) assert.equal(parseReceiver(text), undefined, text);
});
