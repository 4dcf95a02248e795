/** Tests `twin-ingest connect` on its own settings files: what it writes, what it keeps, and when it writes nothing. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { TOKEN_VARIABLE } from '../src/connect/agent.ts';
import { parseConnect } from '../src/connect/options.ts';
import { isWanted } from '../src/connect/question.ts';
import { reachability } from '../src/connect/reachability.ts';
import { withServer } from './doctor-run.ts';
import { type Ran, run, start } from './run-script.ts';

const TOKEN = 'a-token-of-more-than-sixteen-characters';

const TEXT = '{\n    "model": "opus",\n    "n": 1.50\n}\n';
const connect = (cwd: string, ...argv: string[]): Promise<Ran> =>
  run('connect', argv, { cwd, env: { HOME: cwd, USERPROFILE: cwd } });

test('settings are connected and undone, each time with a backup of its own, and keep their mode', async () => {
  await inTree({ '.claude/settings.json': TEXT }, async (home) => {
    const file = join(home, '.claude/settings.json');
    const text = () => readFileSync(file, 'utf8');
    chmodSync(file, 0o640);

    const dry = await connect(home, 'claude-code', '--dry-run');
    assert.deepEqual([dry.code, text()], [0, TEXT]);
    assert.match(dry.stdout, /^\+ Stop .*sh, curl to http:\/\/127\.0\.0\.1:3141\/api\/hooks\/claude-code$/m);

    const refused = await connect(home, 'claude-code');
    assert.deepEqual([refused.code, text()], [2, TEXT]);
    assert.match(refused.stderr, /--yes/);
    assert.deepEqual(readdirSync(join(home, '.claude')), ['settings.json']);

    // The arguments that pnpm passes on from `pnpm connect -- claude-code --yes`.
    const written = await connect(home, '--', 'claude-code', '--yes');
    assert.equal(written.code, 0, written.stderr);
    const connected = text();
    assert.ok(connected.startsWith(TEXT.slice(0, -'\n}\n'.length)));
    assert.equal(statSync(file).mode & 0o777, 0o640);

    const again = await connect(home, 'claude-code', '--yes');
    assert.deepEqual([again.code, text()], [0, connected]);
    assert.match(again.stdout, /^Already connected\.\n/);

    assert.equal((await connect(home, 'claude-code', '--undo', '--yes')).code, 0);
    assert.equal(text(), TEXT);
    const undone = await connect(home, 'claude-code', '--undo', '--yes');
    assert.deepEqual([undone.code, undone.stdout], [0, 'Nothing to take out.\n']);

    const kept = readdirSync(join(home, '.claude')).sort();
    assert.deepEqual(kept, ['settings.json', 'settings.json.backup-1', 'settings.json.backup-2']);
    assert.equal(readFileSync(`${file}.backup-1`, 'utf8'), TEXT);
    assert.equal(readFileSync(`${file}.backup-2`, 'utf8'), connected);
  });
});

test('a project, a file elsewhere and a link are written where they are, and a new file is the owner’s', async () => {
  await inTree({ 'dotfiles/settings.json': TEXT, 'app/x': '' }, async (root) => {
    const env = { HOME: root, USERPROFILE: root, INIT_CWD: join(root, 'app') };
    const project = await run('connect', ['claude-code', '--project', '--yes'], { cwd: root, env });
    assert.equal(project.code, 0, project.stderr);
    const written = join(root, 'app/.claude/settings.json');
    assert.equal(statSync(written).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(join(root, 'app/.claude')), ['settings.json']);

    symlinkSync(join(root, 'dotfiles/settings.json'), join(root, 'app/link.json'));
    const link = await run('connect', ['claude-code', '--settings=link.json', '--yes'], { cwd: root, env });
    assert.equal(link.code, 0, link.stderr);
    assert.ok(lstatSync(join(root, 'app/link.json')).isSymbolicLink());
    assert.match(readFileSync(join(root, 'dotfiles/settings.json'), 'utf8'), /api\/hooks\/claude-code/);
    assert.equal(existsSync(join(root, '.claude')), false);
  });
});

test('a token stays in its file, which each command reads', async () => {
  await inTree({ token: 'secret-of-sixteen-characters\n' }, async (root) => {
    const { code, stdout, stderr } = await connect(
      root,
      ...[
        'claude-code',
        '--settings',
        's.json',
        '--token-file',
        'token',
        '--url',
        'http://localhost:9',
        '--yes',
      ],
    );
    assert.equal(code, 0, stderr);
    const text = readFileSync(join(root, 's.json'), 'utf8');
    assert.equal(`${text}${stdout}`.includes('secret'), false);
    const { hooks } = JSON.parse(text) as { hooks: Record<string, { hooks: Record<string, unknown>[] }[]> };
    for (const [group] of Object.values(hooks))
      assert.ok(String(group!.hooks[0]!.command).endsWith(` '${join(root, 'token')}'`));
    assert.match(stdout, new RegExp(`export ${TOKEN_VARIABLE}=`));
  });
});

test('connect reports whether a server answers at the address of the hooks', async () => {
  const server = createServer((request, response) => {
    response.end(request.url === '/livez' ? '{"status":"ok"}' : '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const argv = ['claude-code', '--settings', 's.json', '--url', origin, '--yes'];
  await inTree({}, async (root) => {
    assert.ok((await connect(root, ...argv)).stdout.endsWith(`A server answers at ${origin}.\n`));
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const { code, stdout } = await connect(root, ...argv);
    assert.equal(code, 0);
    assert.match(stdout, /^Already connected\.\nNo server answers at .* \(ECONNREFUSED\)\. Start one .*\n$/);
    const undone = await connect(root, 'claude-code', '--settings', 's.json', '--undo', '--yes');
    assert.doesNotMatch(undone.stdout, /server answers/i);
  });
});

for (const name of TARGET_NAMES)
  test(`connect says whether the server refuses the hooks for their token (${name})`, async () => {
    const files = { right: `${TOKEN}\n`, other: 'another-token-of-sixteen-characters\n', empty: '' };
    await inTree(files, async (root) => {
      chmodSync(join(root, 'right'), 0o600);
      await withServer(name, root, ['--token-file', join(root, 'right')], async ({ url }) => {
        const last = async (...flags: string[]) => {
          const ran = await connect(root, 'claude-code', '--url', url, '--yes', ...flags);
          assert.equal(ran.code, 0, ran.stderr);
          assert.doesNotMatch(ran.stdout, /of-sixteen|of-more-than/);
          return ran.stdout.trimEnd().split('\n').at(-1)!;
        };
        const again = `Type ./twin-ingest connect claude-code --url ${url} --token-file FILE with the file that the server was started with.`;
        assert.equal(
          await last(),
          `The server at ${url} wants a token, and refuses everything that comes without it. ${again}`,
        );
        assert.match(readFileSync(join(root, '.claude/settings.json'), 'utf8'), /api\/hooks\/claude-code/);
        for (const [file, what] of [
          ['other', 'refuses the token in FILE'],
          ['empty', 'wants a token, and FILE cannot be read or is empty'],
          ['none', 'wants a token, and FILE cannot be read or is empty'],
        ] as const)
          assert.equal(
            await last('--token-file', file),
            `The server at ${url} ${what.replace('FILE', join(root, file))}. ${again}`,
          );
        assert.equal(await last('--token-file', 'right'), `A server answers at ${url}.`);
        assert.match((await connect(root, 'codex', '--url', url, '--dry-run')).stdout, /connect codex --url/);
      });
    });
  });

test('connect says that a program listens and does not answer', async () => {
  const silent = createNetServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  await inTree({}, async (root) => {
    const { stdout } = await connect(root, 'gemini', '--dry-run', '--url', `http://127.0.0.1:${port}`);
    assert.match(
      stdout,
      /\nA program listens at \S+ and does not answer \(no answer within 3 seconds\)\. End it/,
    );
  });
  silent.close();
});

test('an answer of another program does not count as a server', async () => {
  const server = createServer((_, response) => response.writeHead(404).end('nothing'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  assert.match(
    await reachability({ origin: `http://127.0.0.1:${port}`, token_file: null }, 'again'),
    /^What answers at .* is no server of this project \(status 404\)\./,
  );
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('a file that is not a settings file stays unchanged', async () => {
  for (const text of ['{"a":1', '{"hooks":7}'])
    await inTree({ 's.json': text }, async (root) => {
      const { code, stderr } = await connect(root, 'claude-code', '--settings', 's.json', '--yes');
      assert.equal(code, 1);
      assert.match(stderr, /s\.json (?:is not JSON|has "hooks"[\s\S]*)/);
      assert.match(stderr, /nothing was written/);
      assert.deepEqual(readdirSync(root), ['s.json']);
      assert.equal(readFileSync(join(root, 's.json'), 'utf8'), text);
    });
});

test('a settings file that cannot be written is an error without a stack trace', async () => {
  await inTree({ 'folder/x': '' }, async (root) => {
    writeFileSync(join(root, 'file'), '');
    for (const path of ['folder', 'file/settings.json']) {
      const { code, stderr } = await connect(root, 'claude-code', '--settings', path, '--yes');
      assert.equal(code, 1);
      // A sentence, and not the system's code.
      assert.match(stderr, /^connect: [^\n]*(?:file|folder)[^\n]*\n$/);
      assert.doesNotMatch(stderr, /E[A-Z]{4,}/);
    }
    assert.deepEqual(readdirSync(root).sort(), ['file', 'folder']);
  });
});

test('both files of Codex are shown, written, backed up and undone together', async () => {
  const files = { '.codex/config.toml': 'model = "gpt-5" # mine\n', '.codex/hooks.json': '{"hooks":{}}' };
  await inTree(files, async (home) => {
    const texts = () => Object.keys(files).map((path) => readFileSync(join(home, path), 'utf8'));
    const { code, stdout } = await connect(home, 'codex', '--yes');
    assert.equal(code, 0);
    assert.match(stdout, /^\+ otel\.exporter {2}otlp-http http:\/\/127\.0\.0\.1:3141\/v1\/logs$/m);
    assert.match(stdout, /^\+ Stop .*curl to http:\/\/127\.0\.0\.1:3141\/api\/hooks\/codex$/m);
    assert.match(stdout, /type \/hooks, and trust/);
    assert.equal((await connect(home, 'codex', '--yes')).stdout.split('\n')[0], 'Already connected.');
    assert.equal((await connect(home, 'codex', '--undo', '--yes')).code, 0);
    const [config, hooks] = texts();
    assert.equal(config, files['.codex/config.toml']);
    assert.deepEqual(JSON.parse(hooks!), {});
    assert.equal(readdirSync(join(home, '.codex')).length, 6);
  });
});

test('if one file cannot be edited, the other stays unchanged too', async () => {
  await inTree({ '.codex/hooks.json': '[]' }, async (home) => {
    const { code, stderr } = await connect(home, 'codex', '--yes');
    assert.deepEqual([code, existsSync(join(home, '.codex/config.toml'))], [1, false]);
    assert.match(stderr, /hooks\.json is no JSON object\nconnect: nothing was written\n$/);
  });
});

test('a setting of the user’s own is shown, and dependent settings are not written', async () => {
  const telemetry = { enabled: true, target: 'gcp' };
  await inTree({ '.gemini/settings.json': { telemetry } }, async (home) => {
    const { code, stdout, stderr } = await connect(home, 'gemini', '--yes');
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^! telemetry {2}\{"enabled":true,"target":"gcp"\} {2}\(your own setting, so left\)$/m,
    );
    assert.equal(stderr, 'connect: nothing was written\n');
    assert.deepEqual(readdirSync(join(home, '.gemini')), ['settings.json']);
  });
});

test('the plugin of OpenCode is written as a separate file, and removed', async () => {
  await inTree({}, async (home) => {
    const env = { HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: join(home, 'config') };
    const folder = join(home, 'config/opencode/plugins');
    assert.equal((await run('connect', ['opencode', '--yes'], { cwd: home, env })).code, 0);
    assert.deepEqual(readdirSync(folder), ['twin-ingest.js']);
    const { code, stdout } = await run('connect', ['opencode', '--undo', '--yes'], { cwd: home, env });
    assert.equal(code, 0);
    assert.match(stdout, /^Removed; what it said before is in .*backup-1\.$/m);
    assert.deepEqual(readdirSync(folder), ['twin-ingest.js.backup-1']);
  });
});

test('without curl hooks are HTTP hooks, and connect says what the screen then shows', async () => {
  await inTree({ '.claude/settings.local.json': { allowedHttpHookUrls: ['https://a/*'] } }, async (home) => {
    const env = { HOME: home, USERPROFILE: home, PATH: home };
    const { stdout } = await run('connect', ['claude-code', '--yes'], { cwd: home, env });
    assert.match(stdout, /^\+ Stop +http +http:\/\/127\.0\.0\.1:3141\/api\/hooks\/claude-code$/m);
    assert.match(stdout, /^While no server runs, Claude Code shows/m);
    assert.match(stdout, /^allowedHttpHookUrls does not allow .* Add "http:\/\/127\.0\.0\.1:3141\/\*"/m);
    assert.match(stdout, /^\+ OTEL_LOGS_EXPORTER +otlp$/m);
  });
});

const WRONG: readonly (readonly [readonly string[], RegExp])[] = [
  [[], /which agent\? there is claude-code/],
  [['cursor'], /unknown agent cursor; there is claude-code/],
  [['claude-code', 'x'], /unexpected argument x/],
  [['claude-code', '--force'], /unknown flag --force/],
  [['claude-code', '--yes', '--yes'], /--yes is given twice/],
  [['claude-code', '--yes=1'], /--yes takes no value/],
  [['claude-code', '--settings'], /--settings needs a value/],
  [['claude-code', '--settings', 'a', '--project'], /give one of them/],
  [['claude-code', '--undo', '--url', 'http://a'], /--url has no meaning with --undo/],
  [['codex', '--project'], /--project has no meaning for codex/],
  ...['ftp://a', 'nowhere', 'http://u:p@a', 'http://a/b', 'http://a?b', "http://a'b"].map(
    (url) => [['claude-code', '--url', url], /--url must be like/] as const,
  ),
];
for (const [argv, message] of WRONG) {
  test(`a wrong command line is explained: ${argv.join(' ')}`, () => {
    const parsed = parseConnect(argv, {}, '/');
    assert.equal(parsed.kind, 'wrong');
    assert.match((parsed as { problems: readonly string[] }).problems.join('\n'), message);
  });
}

test('connect takes the command that an empty dashboard advises', () => {
  const parsed = parseConnect(['claude-code', '--url', 'http://127.0.0.1:4000'], {}, '/');
  assert.ok(parsed.kind === 'run', JSON.stringify(parsed));
  assert.equal(parsed.options.server.origin, 'http://127.0.0.1:4000');
});

test('every problem is reported at once, and --help prints the usage', async () => {
  await inTree({}, async (root) => {
    const { code, stdout, stderr } = await connect(root, 'cursor', '--force');
    assert.deepEqual([code, stdout, stderr.split('\n').length], [2, '', 2]);
    const help = await connect(root, '--help');
    assert.equal(help.code, 0);
    assert.match(
      help.stdout,
      /^Usage: \.\/twin-ingest connect claude-code\|codex\|copilot-cli\|gemini\|opencode\|qwen-code \[flags\]\n[\s\S]*--token-file FILE/,
    );
  });
});

test('only a plain yes is accepted', async () => {
  for (const [answer, expected] of [
    ['y\n', true],
    [' Yes \n', true],
    ['\n', false],
    ['n\n', false],
    ['yeah\n', false],
    [null, false],
  ] as const) {
    const input = new PassThrough();
    if (answer === null) input.end();
    else input.write(answer);
    assert.equal(await isWanted('Write this? ', input, new PassThrough()), expected, String(answer));
  }
});

test('a change is not written when no terminal can show it', async () => {
  await inTree({ '.claude/settings.json': TEXT }, async (home) => {
    const surroundings = { cwd: home, env: { HOME: home, USERPROFILE: home } };
    const { child, ended } = start('connect', ['claude-code', '--yes'], surroundings);
    child.stdout?.destroy();
    const { code, stderr } = await ended;
    assert.equal(code, 1);
    assert.match(stderr, /^connect: no terminal can show the change; nothing was written\n$/);
    assert.equal(readFileSync(join(home, '.claude/settings.json'), 'utf8'), TEXT);
    assert.deepEqual(readdirSync(join(home, '.claude')), ['settings.json']);
  });
});
