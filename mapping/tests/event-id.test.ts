import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashedId, sameId } from '../src/event-id.ts';

test('an id is a UUID of version 8', () => {
  // SHA-256 of `[]` begins with 4f53cda18c2baa0c0354bb5f9a3ecbe5.
  assert.equal(hashedId([]), '4f53cda1-8c2b-8a0c-8354-bb5f9a3ecbe5');
  assert.notEqual(hashedId([undefined]), hashedId([]));
  assert.equal(hashedId([undefined]), hashedId(['null']));
});

test('events about the same subject have one id', () => {
  const id = sameId('call', 'claude_code', 's', 't"');
  assert.equal(id, hashedId(['"claude_code"', '"s"', '"call"', '"t\\""']));
  assert.notEqual(id, sameId('call', 'claude_code', 's', 'u'));
});
