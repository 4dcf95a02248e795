import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstZone, machineZone, nameIn } from './time-zone.ts';

const zoneOf = (...names: (string | undefined)[]): (string | undefined)[] => {
  const { zone, unknown } = firstZone(names.map((name) => () => name));
  return [zone.name, unknown];
};

test('the first known name is the zone, and the first unknown one is reported', () => {
  assert.deepEqual(zoneOf('Asia/Kolkata', 'UTC', undefined), ['Asia/Kolkata', undefined]);
  assert.deepEqual(zoneOf(undefined, undefined, 'Asia/Tokyo'), ['Asia/Tokyo', undefined]);
  assert.deepEqual(zoneOf('EST5EDT4', 'Mars/Phobos', 'Asia/Tokyo'), ['Asia/Tokyo', 'EST5EDT4']);
  assert.deepEqual(zoneOf(undefined, 'Mars/Phobos', undefined), ['UTC', 'Mars/Phobos']);
  assert.deepEqual(zoneOf(undefined, undefined, undefined), ['UTC', undefined]);
});

test('a path to the data of a zone has its name', () => {
  const names = {
    'Europe/Berlin': 'Europe/Berlin',
    '/usr/share/zoneinfo/Europe/Berlin': 'Europe/Berlin',
    '/var/db/timezone/zoneinfo/Etc/UTC': 'Etc/UTC',
    '../usr/share/zoneinfo/UTC': 'UTC',
    '/etc/localtime': undefined,
    '/usr/share/zoneinfo/': undefined,
    '': undefined,
  };
  for (const [text, name] of Object.entries(names)) assert.equal(nameIn(text), name, text);
});

test('the variable precedes the system', () => {
  for (const text of ['Asia/Kathmandu', ':Asia/Kathmandu', ':/usr/share/zoneinfo/Asia/Kathmandu']) {
    const { zone, unknown } = machineZone(text);
    assert.deepEqual([zone.name, unknown], ['Asia/Kathmandu', undefined], text);
  }
  assert.deepEqual(machineZone(''), machineZone(undefined));
});
