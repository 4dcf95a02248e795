import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyRoom, type BodyShare } from './body-room.ts';

const SOON_MS = 10;
const LONG_MS = 60_000;

function reader(room: BodyRoom): BodyShare {
  const share = room.share();
  share.startReading();
  return share;
}

test('the oldest half-read body ends from the reserve', async () => {
  const room = new BodyRoom(100, 50);
  const [first, second, third] = [reader(room), reader(room), reader(room)];
  assert.deepEqual([first.hold(40, 0), second.hold(40, 0), third.hold(20, 0)], [true, true, true]);
  assert.equal(await second.hold(41, SOON_MS), false, 'only the oldest uses the reserve');
  assert.equal(first.hold(90, 0), true);
  first.endReading();
  assert.equal(await second.hold(41, SOON_MS), false, 'the reserve is in use');
  first.release();
  assert.equal(second.hold(80, 0), true, 'the room of the first');
  assert.equal(second.hold(100, 0), true, 'it is the oldest now');
  second.release();
  third.release();
  assert.deepEqual([room.available, room.reserve], [100, 50]);
});

test('half-read bodies pause while a request waits for bytes', async () => {
  const room = new BodyRoom(100, 50);
  const [first, second] = [reader(room), reader(room)];
  first.hold(50, 0);
  second.hold(50, 0);
  const pressed: string[] = [];
  void first.pressed().then((is) => pressed.push(`first ${is}`));
  const isSecondPressed = second.pressed();
  const waiting = room.share().waitFree(LONG_MS);
  assert.equal(await isSecondPressed, true);
  assert.equal(await second.calm(SOON_MS), false);
  assert.deepEqual(pressed, [], 'the oldest goes on');
  first.release();
  assert.equal(await second.calm(0), true, 'it is the oldest now');
  assert.equal(await waiting, true);
  assert.equal(room.isFull, false);
  assert.deepEqual(pressed, ['first false']);
});

test('half-read bodies pause until the bytes that a refused request lacked are free', async () => {
  const room = new BodyRoom(100, 50);
  const [first, second, third] = [reader(room), reader(room), reader(room)];
  assert.deepEqual([first.hold(40, 0), second.hold(40, 0), third.hold(20, 0)], [true, true, true]);
  assert.equal(await third.hold(50, SOON_MS), false);
  assert.equal(await second.calm(0), false, 'the request that gave up lacked 30');
  third.release();
  assert.equal(await second.calm(0), false, '20 are free');
  second.hold(30, 0);
  assert.equal(await second.calm(0), true, '30 are free');
});
