/** Tests that a change of the copies keeps its members, and that other messages are no changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLUSTER, LIMITS } from '../contract.ts';
import type { ClusterChange } from '../store/cluster-change.ts';
import { readChange, writeChange } from './change.ts';

const CHANGES: readonly ClusterChange[] = [
  { kind: 'delete_events', through: Number.MAX_SAFE_INTEGER, asked: true },
  { kind: 'delete_session', session_id: 's\n"é', from_block: 3, to_block: 5 },
  { kind: 'delete_session', session_id: 's\n"é', from_block: 3 },
  { kind: 'retain', days: 7, bytes: 0 },
  { kind: 'attach', event: 1, name: 'é "', sha256: 'ab'.repeat(32), size: 0, media_type: 'text/plain' },
];

test('a change is read as it was written', () => {
  for (const change of CHANGES) {
    const { change: name, payload } = writeChange(change);
    assert.deepEqual(readChange(name!, payload), change);
  }
});

test('every change has the members of the contract', () => {
  for (const change of CHANGES) {
    const { change: name, payload } = writeChange(change);
    const { members, optional = [] } = CLUSTER.changes[name!]!;
    const given = Object.keys(JSON.parse(payload.toString()) as object);
    assert.ok(given.every((member) => member in members));
    assert.ok(Object.keys(members).every((member) => given.includes(member) || optional.includes(member)));
  }
});

test('other messages are no changes', () => {
  const bodies = ['', '{}', '[]', '{"through":-1,"asked":true}', '{"through":1.5,"asked":true}'];
  for (const body of bodies) assert.equal(readChange('delete_events', Buffer.from(body)), undefined, body);
  assert.equal(readChange('unknown', Buffer.from('{"through":1,"asked":true}')), undefined);
  const blocks = Buffer.from('{"session_id":"s","from_block":1,"to_block":null}');
  assert.equal(readChange('delete_session', blocks), undefined);
});

test('an attachment that no request can make is no change', () => {
  const sha256 = 'ab'.repeat(32);
  const read = (name: string, media_type: string, size: number): ClusterChange | undefined =>
    readChange('attach', Buffer.from(JSON.stringify({ event: 1, name, sha256, size, media_type })));
  const most = LIMITS.largest_attachment_bytes;
  assert.ok(read('a.txt', 'text/plain', most));
  assert.ok(read('x'.repeat(255), `a/${'b'.repeat(125)}`, 0));
  const names = ['', '.', '..', '../../x', 'a/b', 'a\\b', 'a\r\nb', '\0', '\x7f', '\x80', '\x9f', '\ud800'];
  for (const name of [...names, 'x'.repeat(256), 'é'.repeat(128)]) {
    assert.equal(read(name, 'text/plain', 1), undefined, JSON.stringify(name));
  }
  const types = ['', 'text', 'text/', '/plain', 'a/b/c', 'a b/c', 'text/html\r\nx: y', 'Text/plain', 'é/x'];
  for (const type of [...types, 'text/plain; charset=utf-8', 'text/plain\n', `a/${'b'.repeat(126)}`]) {
    assert.equal(read('a.txt', type, 1), undefined, JSON.stringify(type));
  }
  for (const size of [most + 1, Number.MAX_SAFE_INTEGER, -1, 1.5]) {
    assert.equal(read('a.txt', 'text/plain', size), undefined, String(size));
  }
  const body = JSON.stringify({ event: 1, name: 'a?', sha256, size: 1, media_type: 'text/plain' });
  assert.equal(readChange('attach', Buffer.from(body.replace('?', '\xff'), 'latin1')), undefined);
});
