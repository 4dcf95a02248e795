/** Tests how a request is turned into test data. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Scrubber } from '../src/capture/scrub.ts';

const PLACES = [['/scratch/home', '/home/user']] as const;

function log(name: string) {
  return { attributes: [{ key: 'event.name', value: { stringValue: name } }] };
}

function request(...names: string[]) {
  return { resourceLogs: [{ scopeLogs: [{ logRecords: names.map(log) }] }] };
}

test('the scrubber replaces paths and cuts long texts when a hook holds them', () => {
  const scrubber = new Scrubber('claude_code', PLACES);
  const body = { cwd: '/scratch/home/project', text: 'x'.repeat(500), count: 7 };
  assert.deepEqual(scrubber.request('/api/hooks/claude-code', body), {
    cwd: '/home/user/project',
    text: `${'x'.repeat(100)}…`,
    count: 7,
  });
});

test('the scrubber keeps the first record of each noise and every other one', () => {
  const scrubber = new Scrubber('claude_code', PLACES);
  const first = scrubber.request('/v1/logs', request('hook_registered', 'hook_registered', 'api_request'));
  assert.deepEqual(first, request('hook_registered', 'api_request'));
  assert.deepEqual(scrubber.request('/v1/logs', request('api_request')), request('api_request'));
  assert.equal(scrubber.request('/v1/logs', request('hook_registered')), null);
});

test('the scrubber drops attributes of the machine and of the user', () => {
  const scrubber = new Scrubber('codex', PLACES);
  const body = {
    resourceLogs: [],
    attributes: [{ key: 'host.name' }, { key: 'user.email' }, { key: 'model' }],
  };
  assert.deepEqual(scrubber.request('/api/events', body), {
    resourceLogs: [],
    attributes: [{ key: 'model' }],
  });
});
