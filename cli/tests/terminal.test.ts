/** Tests that no text of clients, files, servers or arguments reaches a terminal as it is. */
import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { COMMANDS } from '../src/commands.ts';
import { agentOf } from '../src/connect/agents.ts';
import { linesForOutput, shown, shownText } from '../src/terminal.ts';
import { connect, doctor, post, withServer } from './doctor-run.ts';
import { type Ran, run } from './run-script.ts';
import { claudeTurn, lines } from './transcripts.ts';

/** Sets a title, clears the screen, moves the cursor, and reorders and divides lines. */
const HOSTILE =
  '\u001b]0;title\u0007\u001b[2J\b\r\u007f\u009b31m\u0085\u202eabc\u2066\u061c\u200f\u2028forged\u2029\nforged';
/** What only a Unicode table knows to be a control of a terminal, of lines or of directions. */
const OBEYED = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

function requireHarmless({ stdout, stderr }: Ran, what: string): void {
  for (const [name, text] of Object.entries({ stdout, stderr })) {
    const found = OBEYED.exec(text);
    assert.equal(found, null, `${what}: ${name} has ${JSON.stringify(found?.[0])}: ${JSON.stringify(text)}`);
    assert.ok(!/^forged$/m.test(text), `${what}: ${name} has a line of another: ${text}`);
  }
}

test('every control, separator and direction of Unicode becomes an escape with its own value in JSON', () => {
  for (let code = 0; code <= 0xffff; code++) {
    const one = String.fromCharCode(code);
    const line = shown(one);
    assert.ok(!OBEYED.test(line) && !/[\n\t]/.test(line), code.toString(16));
    if (line !== one) assert.equal(JSON.parse(`"${line}"`), one);
    else assert.ok(!/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(one));
  }
  assert.equal(shown('ordinary text, äöü, 日本, 👍'), 'ordinary text, äöü, 日本, 👍');
  assert.equal(shownText('a\r\n\tb \u001b\r'), 'a\n\tb \\u001b\\u000d');
});

test('only one module writes to the terminal', () => {
  const source = fileURLToPath(new URL('../src/', import.meta.url));
  const writers = globSync('**/*.ts', { cwd: source }).filter((path) =>
    /console\.|process\s*\.(stdout|stderr)\s*\.write|\bwriteSync\(\s*[12]\b/.test(
      readFileSync(join(source, path), 'utf8'),
    ),
  );
  assert.deepEqual(writers, ['terminal.ts']);
});

test('JSON lines keep their bytes in a pipe, and a terminal shows the same values', async () => {
  const rows = [{ text: HOSTILE }, { text: '\u009b日本\u202e' }];
  const bytes = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const piped = async (): Promise<Buffer> => {
    // Each byte is a piece of its own, so that characters are divided.
    const pieces = linesForOutput(
      (async function* () {
        for (const byte of bytes) yield Uint8Array.of(byte);
      })(),
    );
    const parts = [];
    for await (const piece of pieces) parts.push(Buffer.from(piece));
    return Buffer.concat(parts);
  };
  const { isTTY } = process.stdout;
  try {
    process.stdout.isTTY = false;
    assert.ok((await piped()).equals(bytes));
    process.stdout.isTTY = true;
    const text = (await piped()).toString();
    assert.equal(OBEYED.exec(text), null);
    assert.deepEqual(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      rows,
    );
  } finally {
    process.stdout.isTTY = isTTY;
  }
});

const WORDS = ['claude-code', 'codex', 'opencode', 'gemini', 'install'];

for (const { name } of COMMANDS) {
  test(`${name} shows arguments with escapes`, { timeout: 120_000 }, async () => {
    await inTree({}, async (root) => {
      const how = { cwd: root, env: { HOME: root, USERPROFILE: root, XDG_CONFIG_HOME: root } };
      const { stdout: help } = await run('main', [name, '--help'], how);
      const flags = [...help.matchAll(/^ +(--[a-z-]+) [A-Z]/gm)].map(([, flag]) => [flag!, HOSTILE]);
      const words = WORDS.filter((word) => help.includes(word)).map((word) => [word, HOSTILE]);
      const problems = [
        [HOSTILE],
        [`--${HOSTILE}`],
        ...words,
        ...flags,
        ...flags.map((flag) => [HOSTILE, ...flag]),
      ];
      for (const argv of problems) {
        const ran = await run('main', [name, ...argv], how);
        requireHarmless(ran, `${name} ${JSON.stringify(argv)}`);
        assert.notEqual(ran.stdout + ran.stderr, '', `${name} ${JSON.stringify(argv)} prints nothing`);
      }
    });
  });
}

test('an unknown command is shown with escapes', async () => {
  await inTree({}, async (root) =>
    requireHarmless(await run('main', [HOSTILE], { cwd: root }), 'no command'),
  );
});

for (const target of ['rs', 'ts'] as const) {
  test(`doctor and export show what clients of ${target} sent with escapes`, async () => {
    await inTree({}, async (root) => {
      await withServer(target, root, [], async ({ url }) => {
        connect(root, 'opencode', { origin: url, token_file: null });
        const event = { source_event: HOSTILE, session_id: 'hostile', tool_name: HOSTILE, project: HOSTILE };
        const kinds = ['response', 'user_prompt', 'tool_use', 'error'];
        const texts = { prompt: HOSTILE, error: HOSTILE, text: HOSTILE, tool_input: { command: HOSTILE } };
        for (const event_type of kinds)
          assert.equal(await post(url, { ...event, event_type, branch: HOSTILE, metadata: texts }), 201);
        const found = await doctor(root, ['--url', url]);
        requireHarmless(found, 'doctor');
        assert.ok(found.stdout.includes('\\u001b]0;title'), found.stdout);
        const document = await run('export', ['hostile', '--url', url, '--format', 'markdown'], {
          cwd: root,
        });
        assert.equal(document.code, 0, document.stderr);
        assert.ok(document.stdout.includes('\\u001b'), document.stdout);
        assert.equal(OBEYED.exec(document.stdout), null);
        const rows = await run('export', ['hostile', '--url', url, '--format', 'ndjson'], { cwd: root });
        const response = await fetch(`${url}/api/events?session_id=hostile&order=asc&limit=100`, {
          headers: { accept: 'application/x-ndjson' },
        });
        assert.equal(rows.stdout, await response.text());
      });
    });
  });
}

test('import shows the names in lines and of files with escapes', async () => {
  const hostile = claudeTurn().map((line) => ({ ...line, type: HOSTILE }));
  const name = `${HOSTILE.replaceAll('/', '')}.jsonl`;
  await inTree({ [name]: `${lines(...hostile)}{${HOSTILE}\n` }, async (root) => {
    const ran = await run('import', ['claude-code', root, '--dry-run'], { cwd: root });
    requireHarmless(ran, 'import');
    assert.ok(ran.stderr.includes('\\u001b'), ran.stderr);
  });
});

test('doctor and connect show settings with escapes', async () => {
  await inTree({}, async (root) => {
    for (const agent of ['claude-code', 'codex', 'gemini', 'opencode']) {
      const place = {
        home: root,
        cwd: root,
        env: { HOME: root },
        system: '/',
        platform: process.platform,
        hasCurl: true,
      };
      for (const { path } of agentOf(agent)!.parts(place, 'own')) {
        mkdirSync(dirname(path), { recursive: true });
        for (const text of [
          HOSTILE,
          JSON.stringify({ env: { [HOSTILE]: HOSTILE }, hooks: { [HOSTILE]: HOSTILE } }),
        ]) {
          writeFileSync(path, text);
          requireHarmless(await doctor(root, []), `doctor with ${relative(root, path)}`);
          const env = { HOME: root, USERPROFILE: root, XDG_CONFIG_HOME: join(root, '.config') };
          requireHarmless(await run('connect', [agent, '--dry-run'], { cwd: root, env }), `connect ${agent}`);
        }
      }
    }
  });
});

/** Starts a program in the place of a server, whose responses are hostile. */
async function hostileServer(): Promise<Server> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        status: HOSTILE,
        runtime: HOSTILE,
        version: HOSTILE,
        error: HOSTILE,
        code: HOSTILE,
        contract: HOSTILE,
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

test('commands show what another server responds with escapes', async () => {
  const server = await hostileServer();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await inTree({ 'one.jsonl': lines(...claudeTurn()) }, async (root) => {
      requireHarmless(await doctor(root, ['--url', url]), 'doctor');
      requireHarmless(await run('export', ['s', '--url', url], { cwd: root }), 'export');
      requireHarmless(
        await run('import', ['claude-code', 'one.jsonl', '--url', url], { cwd: root }),
        'import',
      );
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

const PASSWORD = 'hunter2';

test('no command shows the user and the password of a URL', async () => {
  const urls = [
    `http://user:${PASSWORD}@127.0.0.1:1`,
    `https://user:${PASSWORD}/${PASSWORD}@host.example/`,
    `socks5://${PASSWORD}@host.example`,
    `nats://user:${PASSWORD}@127.0.0.1:1`,
  ];
  await inTree({}, async (root) => {
    const home = { HOME: root, USERPROFILE: root, XDG_CONFIG_HOME: root };
    // A proxy of the environment may be part of the reason of a failed request.
    const proxy = `http://user:${PASSWORD}@127.0.0.1:1`;
    const env = { ...home, HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy, NODE_USE_ENV_PROXY: '1' };
    for (const url of urls) {
      const commands = [
        ['doctor', '--url', url],
        ['connect', 'codex', '--url', url],
        ['import', 'codex', '--url', url],
        ['export', 's', '--url', url],
        ['export', 's', '--url', 'http://host.invalid:1'],
        ['trim', '--servers', url, '--nats', url],
        ['trim', url],
        ['stop', '--db', url],
        ['bench', url],
        ['ensure', '--db', 'e.db', '--', '--forward', url, '--port', 'x'],
        [url],
        [`--forward=${url}`, '--port=x'],
      ];
      for (const argv of commands) {
        const { stdout, stderr } = await run('main', argv, { cwd: root, env });
        assert.ok(!(stdout + stderr).includes(PASSWORD), `${argv.join(' ')}: ${stdout}${stderr}`);
        assert.notEqual(stdout + stderr, '');
      }
    }
    for (const text of [`http://a:${PASSWORD} b@h`, `user:${PASSWORD}@h`, `http://h/?token=${PASSWORD}`]) {
      const { stderr } = await run('doctor', ['--url', text], { cwd: root, env: home });
      assert.match(stderr, /^doctor: --url must be like .*\*\*\*/);
      assert.ok(!stderr.includes(PASSWORD), stderr);
    }
  });
});
