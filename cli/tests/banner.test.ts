/** Tests the lines after a start: they name this server, and their commands work in a shell as they are printed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { bannerLines } from '../src/launch/banner.ts';
import { start } from './run-script.ts';

const TWIN_INGEST_COMMAND = fileURLToPath(new URL('../../twin-ingest', import.meta.url));

/** Returns the command of a label: its lines up to the first that does not continue it. */
function pasted(banner: string, label: string): string {
  const lines = banner.split('\n');
  const first = lines.findIndex((line) => line.trimStart().startsWith(label));
  const rest = lines.slice(first + 1).findIndex((line) => !line.startsWith(' '.repeat(15)));
  return [lines[first]!.trimStart().slice(label.length), ...lines.slice(first + 1, first + 1 + rest)].join(
    '\n',
  );
}

for (const runtime of ['rust', 'node'] as const)
  for (const way of ['without a token', '--token-file', 'INGEST_TOKEN_FILE'] as const)
    test(`the printed commands reach the server as they are (${runtime}, ${way})`, async () => {
      await inTree({ "it's a folder/x": '' }, async (root) => {
        const cwd = join(root, "it's a folder");
        const hasToken = way !== 'without a token';
        const env = { HOME: root, XDG_DATA_HOME: cwd, TWIN_INGEST_COMMAND };
        const { child, said, ended } = start(
          'main',
          [
            ...['--runtime', runtime, '--no-open', '--port', '0'],
            ...(hasToken ? ['--new-token'] : []),
            ...(way === '--token-file' ? ['--token-file', 'token'] : []),
          ],
          { cwd, env: way === 'INGEST_TOKEN_FILE' ? { ...env, INGEST_TOKEN_FILE: 'token' } : env },
        );
        const [banner] = await said(/[\s\S]*Ctrl-C stops/);
        const shell = (script: string) =>
          spawnSync('sh', ['-c', script], {
            cwd: '/',
            encoding: 'utf8',
            env: { ...process.env, HOME: root },
          });

        const connected = shell(`${pasted(banner, 'Connect')} --yes`);
        assert.equal(connected.status, 0, connected.stderr);
        assert.match(connected.stdout, /A server answers at http:\S+\.\n$/);
        const sent = shell(`${pasted(banner, 'Send')} --silent --show-error --write-out '%{http_code}'`);
        assert.match(sent.stdout, /201$/, `${sent.stdout}${sent.stderr}`);
        // The hook that was written finds the server, and the token in its file.
        const { hooks } = JSON.parse(readFileSync(join(root, '.claude/settings.json'), 'utf8')) as {
          hooks: { Stop: { hooks: { command: string }[] }[] };
        };
        const input = '{"hook_event_name":"Stop","session_id":"s1"}';
        spawnSync('sh', ['-c', hooks.Stop[0]!.hooks[0]!.command], { input });

        const page = /Dashboard +(\S+)/.exec(banner)![1]!;
        const opened = await fetch(page, { redirect: 'manual' });
        assert.equal(opened.status, hasToken ? 303 : 200);
        const token = hasToken ? readFileSync(join(cwd, 'token'), 'utf8').trim() : '';
        const headers = { authorization: `Bearer ${token}` };
        const { origin } = new URL(page);
        const { events } = (await (await fetch(`${origin}/api/events`, { headers })).json()) as {
          events: { event_type: string; source: string }[];
        };
        assert.deepEqual(events.map(({ source }) => source).sort(), ['api', 'hook']);
        if (hasToken) {
          assert.match(banner, /^ +\(works once\)$/m);
          const [, address] = /^ {2}Again +(\S+), where TOKEN is the text of .*\/token$/m.exec(banner)!;
          const again = await fetch(address!.replace('TOKEN', token), { redirect: 'manual' });
          assert.equal(again.status, 303);
          assert.ok(!banner.includes(token));
        } else assert.doesNotMatch(banner, /token/i);
        child.kill('SIGTERM');
        assert.equal((await ended).code, 0);
      });
    });

test('the default server needs no flags, and no command is wider than 60 columns', () => {
  const facts = { server: 'Rust', db: '/d', tokenFile: undefined, open: false };
  const lines = bannerLines({ ...facts, ready: { url: 'http://127.0.0.1:3141' } });
  assert.ok(lines.includes('  Connect    ./twin-ingest connect claude-code'));
  const url = 'http://127.0.0.1:51419';
  const ready = { url, login_url: `${url}/?code=${'c'.repeat(43)}` };
  const all = bannerLines({ ...facts, ready: { url: 'http://0.0.0.0:3141' } });
  assert.deepEqual(all, lines, 'a server at every address is named by one that a client can use');
  const more = bannerLines({ ...facts, ready, tokenFile: '/d/t', open: true });
  for (const text of [lines, more].flat())
    if (!/Dashboard|Again/.test(text)) assert.ok(text.length <= 60, text);
  assert.match(more.join('\n'), /\(works once, in the browser that opens now\)/);
});
