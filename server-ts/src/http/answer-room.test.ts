import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '../contract.ts';
import { AnswerRoom } from './answer-room.ts';

const PART = 100_000;

class Client {
  isCut = false;
  readonly _handle = { bytesWritten: 0, writeQueueSize: 0 };

  destroy(): never {
    this.isCut = true;
    return this as never;
  }
}

const clients = (count: number): Client[] => Array.from({ length: count }, () => new Client());

test('AnswerRoom closes the slowest connection alone', async () => {
  const room = new AnswerRoom(2 * PART);
  const [slow, quick, fresh] = clients(3) as [Client, Client, Client];
  const releases = [room.hold(quick, PART, {}), room.hold(slow, PART, {})];
  await pause(20);
  quick._handle.bytesWritten = 1;
  releases.push(room.hold(fresh, PART, {}));
  assert.deepEqual([slow.isCut, quick.isCut, fresh.isCut], [true, false, false]);
  assert.equal(room.held, 2 * PART);
  for (const release of [...releases, ...releases]) release();
  assert.equal(room.held, 0);
});

test('AnswerRoom counts shared bytes once and short ones not at all', () => {
  const room = new AnswerRoom(PART);
  const memory = {};
  const all = clients(3);
  const releases = all.map((client) => room.hold(client, PART, memory));
  releases.push(room.hold(all[0]!, LIMITS.answer_room_least_bytes - 1, {}));
  assert.equal(room.held, PART);
  assert.ok(all.every(({ isCut }) => !isCut));
  for (const release of releases) release();
  assert.equal(room.held, 0);
});

test('AnswerRoom takes one answer above its size', () => {
  const room = new AnswerRoom(PART / 2);
  const [client] = clients(1) as [Client];
  room.hold(client, PART, {});
  assert.ok(!client.isCut);
});
