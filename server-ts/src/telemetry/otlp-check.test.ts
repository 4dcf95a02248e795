import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VOCABULARY } from '../contract.ts';
import type { Failure } from '../error.ts';
import type { Fault } from '../formats/fault.ts';
import { messageOf } from './otlp.ts';
import { checkMessage } from './otlp-check.ts';

/** Returns the reason to refuse a body, and the number of pauses of the check. */
function check(name: string, body: Buffer): { reason: string | undefined; pauses: number } {
  let pauses = 0;
  try {
    for (const _pause of checkMessage(body, messageOf(name))) pauses++;
    return { reason: undefined, pauses };
  } catch (error) {
    return { reason: (error as Failure).members.reason as string, pauses };
  }
}

/** Returns a body of nested arrays; each array adds two levels of messages. */
function nested(messages: number): Buffer {
  let body = Buffer.alloc(0);
  for (let level = messages; level > 1; level--) {
    const length = [];
    let rest = body.length;
    for (; rest > 0x7f; rest >>= 7) length.push((rest & 0x7f) | 0x80);
    body = Buffer.concat([Buffer.from([level % 2 === 0 ? 0x2a : 0x0a, ...length, rest]), body]);
  }
  return body;
}

test('the check names the first broken rule at any depth', () => {
  const cases: [hex: string, fault: Fault | undefined][] = [
    ['0a', 'truncated'],
    ['0a05', 'truncated'],
    ['0801', 'field_type'],
    ['0a021205', 'truncated'],
    ['0a0412020800', 'field_type'],
    ['0a06120412020800', 'field_type'],
    ['0a0712051203620180', 'utf8'],
    ['0a0212000f', 'wire_type'],
    ['0a02120002', 'field'],
    ['', undefined],
    ['0a00', undefined],
    ['0a021200', undefined],
    ['f2070161', undefined],
  ];
  for (const [hex, fault] of cases) {
    const { reason } = check('LogsRequest', Buffer.from(hex, 'hex'));
    assert.equal(reason, fault && VOCABULARY.format_messages[fault], hex);
  }
});

test('messages may nest 128 levels and no more', () => {
  assert.equal(check('AnyValue', nested(128)).reason, undefined);
  assert.equal(check('AnyValue', nested(129)).reason, VOCABULARY.format_messages.depth);
});

test('a long body is checked in slices', () => {
  // Empty resources.
  const body = Buffer.alloc(3 << 19).fill('0a00', 'hex');
  assert.deepEqual(check('LogsRequest', body), { reason: undefined, pauses: 2 });
});
