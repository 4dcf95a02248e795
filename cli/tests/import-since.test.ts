/** Tests `--since` of `twin-ingest import`: a day begins at midnight in the time zone of the server. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { parseImport } from '../src/import/options.ts';
import { firstInstant, parseSince } from '../src/import/since.ts';
import { run } from './run-script.ts';
import { at, CLAUDE_SESSION, claudeTurn, lines } from './transcripts.ts';

/** Local days, and a time of 0:10 on each. */
const DAYS: readonly (readonly [zone: string, day: string, early: string])[] = [
  ['UTC', '2026-11-27', '2026-11-27T00:10Z'],
  ['Asia/Kolkata', '2026-11-27', '2026-11-26T18:40Z'],
  ['Asia/Kathmandu', '2026-11-27', '2026-11-26T18:25Z'],
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:10Z'],
  ['Europe/Berlin', '2026-03-30', '2026-03-29T22:10Z'],
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:10Z'],
  ['Europe/Berlin', '2026-10-26', '2026-10-25T23:10Z'],
  ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:10Z'],
  ['Australia/Lord_Howe', '2026-04-06', '2026-04-05T13:40Z'],
  ['Australia/Lord_Howe', '2026-10-04', '2026-10-03T13:40Z'],
  ['Australia/Lord_Howe', '2026-10-05', '2026-10-04T13:10Z'],
];

/** Returns the time that `--since` names in a time zone. */
const sinceIn = (zone: string, text: string): number => firstInstant(parseSince(text)!, zone);

test('a day of --since begins at local midnight, also when the clock changes', () => {
  for (const [zone, day, early] of DAYS) {
    const midnight = Date.parse(early) - 10 * 60_000;
    assert.equal(sinceIn(zone, day), midnight, `${zone} ${day}`);
  }
  // There the clock skips midnight, so the day begins at 1:00.
  assert.equal(sinceIn('Africa/Cairo', '2026-04-24'), Date.parse('2026-04-23T22:00Z'));
});

test('a time of --since with an offset means the same in every time zone', () => {
  for (const zone of ['UTC', 'Asia/Kolkata'])
    assert.equal(sinceIn(zone, '2026-11-27T10:00:00+01:00'), Date.parse('2026-11-27T09:00Z'), zone);
});

test('a day that does not exist is refused', () => {
  for (const text of ['2026-02-30', '2026-13-01', 'soon']) {
    const parsed = parseImport(['claude-code', '--since', text], { HOME: '/home/made-up' }, '/');
    assert.deepEqual(parsed, { kind: 'wrong', problems: [`--since must be a date, not ${text}`] });
  }
});

for (const name of TARGET_NAMES)
  test(`an import takes what belongs to the day of ${name}, in whatever zone it runs`, async () => {
    const file = `.claude/projects/-home-user-projects-app/${CLAUDE_SESSION}.jsonl`;
    await inTree({ [file]: lines(...claudeTurn()) }, async (home) => {
      const importInto = async (zone: string, own: string): Promise<string> => {
        const flags = ['--db', join(home, 'events.db'), '--time-zone', zone];
        const server = await startServer(name, { cwd: home, flags });
        const argv = ['claude-code', '--since', '2026-03-02', '--dry-run', '--url', server.url];
        const ran = await run('import', argv, { cwd: home, env: { HOME: home, TZ: own } });
        await server.stop();
        assert.equal(ran.code, 0, ran.stderr);
        return ran.stdout;
      };
      // Noon of the day before in UTC is 2:00 of this day in Kiritimati.
      assert.equal(at(0), '2026-03-01T12:00:00.000Z');
      const far = await importInto('Pacific/Kiritimati', 'UTC');
      const near = await importInto('UTC', 'Pacific/Kiritimati');
      assert.match(far, / 8 events would be stored/);
      assert.notEqual(near, far);
    });
  });

test('without a server a day is that of this machine', async () => {
  const file = `.claude/projects/-home-user-projects-app/${CLAUDE_SESSION}.jsonl`;
  await inTree({ [file]: lines(...claudeTurn()) }, async (home) => {
    const importIn = async (zone: string): Promise<string> => {
      // No server listens on port 9, which is reserved.
      const argv = ['claude-code', '--since', '2026-03-02', '--dry-run', '--url', 'http://127.0.0.1:9'];
      const ran = await run('import', argv, { cwd: home, env: { HOME: home, TZ: zone } });
      assert.equal(ran.code, 0, ran.stderr);
      return ran.stdout;
    };
    assert.notEqual(await importIn('Pacific/Kiritimati'), await importIn('UTC'));
  });
});
