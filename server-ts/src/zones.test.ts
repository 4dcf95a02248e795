import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  bucketEnd,
  bucketStart,
  findZone,
  localDate,
  type Period,
  UTC,
  type Zone,
  zoneNames,
} from './zones.ts';

/** A row of the bounds that `Intl.DateTimeFormat` found. */
interface Case {
  readonly zone: string;
  readonly bucket: Period;
  readonly time: string;
  readonly start: string;
  readonly end: string;
  readonly date: string;
}

const EXPECTED = new URL('../../testkit/expected/zone-periods.json', import.meta.url);
const PERIODS: readonly Period[] = ['hour', 'day', 'week', 'month'];
/** Times are tried from 1990 to 2050, which includes both ends of the file. */
const FIRST_MS = Date.UTC(1990, 0, 1);
const RANGE_MS = Date.UTC(2050, 0, 1) - FIRST_MS;
const QUARTER_MS = 900_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Returns the zone with this name, which exists. */
function zoneOf(name: string): Zone {
  const zone = findZone(name);
  assert(zone !== undefined, name);
  return zone;
}

/** A generator of random times (a linear congruence), so that a failure repeats. */
function randomTimes(): () => number {
  let state = 59;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return FIRST_MS + Math.floor((state / 2 ** 32) * RANGE_MS);
  };
}

/** Checks the period that contains a time, and the next one. */
function check(zone: Zone, period: Period, time: number): void {
  const [start, end] = [bucketStart(zone, period, time), bucketEnd(zone, period, time)];
  const isRight =
    start <= time &&
    time < end &&
    bucketStart(zone, period, end) === end &&
    bucketEnd(zone, period, end - 1) === end &&
    bucketStart(zone, period, end - 1) === start &&
    bucketEnd(zone, period, start) === end &&
    start % QUARTER_MS === 0 &&
    end % QUARTER_MS === 0 &&
    (period !== 'hour' || end - start <= HOUR_MS);
  assert(isRight, `${zone.name} ${period} ${time}: ${start} to ${end}`);
}

test('periods have neither gaps nor overlaps in any zone', () => {
  const random = randomTimes();
  for (const name of zoneNames()) {
    const zone = zoneOf(name);
    for (let i = 0; i < 40; i++) {
      const time = random();
      for (const period of PERIODS) check(zone, period, time);
    }
    for (const { fromMs } of zone.changes.slice(1)) {
      for (const by of [-DAY_MS, -HOUR_MS, -1, 0, 1, HOUR_MS, DAY_MS]) {
        for (const period of PERIODS) check(zone, period, fromMs + by);
      }
    }
  }
});

test('periods are those that Intl found', () => {
  const { cases } = JSON.parse(readFileSync(EXPECTED, 'utf8')) as { cases: readonly Case[] };
  assert(cases.length > 100);
  for (const { zone, bucket, time, ...expected } of cases) {
    const [found, at] = [zoneOf(zone), Date.parse(time)];
    const start = new Date(bucketStart(found, bucket, at)).toISOString();
    const end = new Date(bucketEnd(found, bucket, at)).toISOString();
    assert.deepEqual({ start, end, date: localDate(found, at) }, expected, `${zone} ${bucket} ${time}`);
  }
});

test('a zone is found by its exact name and by older names', () => {
  const pairs = [
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['Asia/Katmandu', 'Asia/Kathmandu'],
    ['Europe/Kiev', 'Europe/Kyiv'],
    ['US/Eastern', 'America/New_York'],
    ['Etc/UTC', UTC],
    ['GMT', UTC],
  ] as const;
  for (const [one, other] of pairs) assert.deepEqual(zoneOf(one).changes, zoneOf(other).changes, one);
  for (const name of ['', ' ', 'utc', 'Europe', 'Europe/Berlin ', 'UTC Universal', 'Mars/Phobos'])
    assert.equal(findZone(name), undefined, name);
});

test('outside of the file the nearest offset counts', () => {
  const berlin = zoneOf('Europe/Berlin');
  // Summer, in which the file would have another offset.
  const days = {
    '1990-07-01T12:00:00Z': '1990-06-30T23:00:00.000Z',
    '2050-07-01T12:00:00Z': '2050-06-30T23:00:00.000Z',
  };
  for (const [time, start] of Object.entries(days))
    assert.equal(new Date(bucketStart(berlin, 'day', Date.parse(time))).toISOString(), start);
});
