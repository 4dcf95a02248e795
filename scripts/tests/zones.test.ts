import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { checkZones } from '../checks/zones.ts';
import { type ZonesFile, zoneText } from '../contract/zones.ts';

const FILE: ZonesFile = {
  about: 'Made up.',
  version: '2026c',
  date: '2026-11-30',
  first: '2000-01-01',
  last: '2000-01-02',
  tables: [
    { names: 'UTC', changes: '0' },
    { names: 'Made/Up Made/Older', changes: '60 1:120 2878:60' },
  ],
};

const problemsOf = (more: Partial<ZonesFile>): string[] => checkZones({ ...FILE, ...more });
const ofChanges = (changes: string): string[] => problemsOf({ tables: [{ names: 'UTC', changes }] });

test('a file of time zones without a fault has no problem', () => {
  assert.deepEqual(checkZones(FILE), []);
});

test('each fault of a file of time zones is named', () => {
  assert.deepEqual(problemsOf({ version: 'new', date: '2026-13-01' }), [
    'zones.json: 2026-13-01 is no date',
    'zones.json: new is no version of the data of IANA',
  ]);
  assert.deepEqual(problemsOf({ tables: [{ names: 'Made/Up  Made/Up', changes: '0' }] }), [
    'zones.json: UTC is not there',
    'zones.json: Made/Up is there twice',
    'zones.json: "" is no name',
  ]);
  assert.deepEqual(ofChanges(''), ['zones.json: UTC: "" is no offset']);
  assert.deepEqual(ofChanges('7'), ['zones.json: UTC: "7" is no offset']);
  assert.deepEqual(ofChanges('0 60'), ['zones.json: UTC: 60 is no change']);
  assert.deepEqual(ofChanges('0 0:60'), ['zones.json: UTC: 0:60 is no change']);
  assert.deepEqual(ofChanges('0 5:07'), ['zones.json: UTC: 5:07 is no change']);
  assert.deepEqual(ofChanges('0 5:960'), ['zones.json: UTC: 5:960 is no change']);
  assert.deepEqual(ofChanges('60 5:60'), ['zones.json: UTC: 5:60 changes nothing']);
  assert.deepEqual(ofChanges('0 2880:60'), ['zones.json: UTC: its changes go beyond the last day']);
});

test('the file has the form that the command writes', () => {
  const text = readFileSync(new URL('../../contract/zones.json', import.meta.url), 'utf8');
  assert.equal(zoneText(JSON.parse(text) as ZonesFile), text);
});
