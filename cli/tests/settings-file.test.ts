/** Tests how settings files are read and written: byte order marks, line ends, encodings and symbolic links. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { type Ran, run } from './run-script.ts';

const connect = (home: string, agent: string, ...argv: string[]): Promise<Ran> =>
  run('connect', [agent, '--yes', ...argv], {
    cwd: home,
    env: { HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: join(home, '.config') },
  });

const MARK = '\u{feff}';
const FILES: readonly (readonly [agent: string, path: string, text: string])[] = [
  ['claude-code', '.claude/settings.json', '{\n  "model": "opus"\n}\n'],
  ['gemini', '.gemini/settings.json', '{\n  // mine\n  "a": 1\n}\n'],
  ['codex', '.codex/config.toml', 'model = "gpt-5"\n\n[tui]\nx = 1\n'],
  ['codex', '.codex/hooks.json', '{\n  "description": "d"\n}\n'],
];
const LAYOUTS: readonly (readonly [name: string, change: (text: string) => string])[] = [
  ['a byte order mark', (text) => `${MARK}${text}`],
  ['line ends of Windows', (text) => text.replaceAll('\n', '\r\n')],
  ['no last line end', (text) => text.trimEnd()],
  ['all of these', (text) => `${MARK}${text.trimEnd().replaceAll('\n', '\r\n')}`],
];
for (const [agent, path, plain] of FILES) {
  // Each layout of one agent, and all layouts at once of the others.
  for (const [name, change] of agent === 'claude-code' ? LAYOUTS : LAYOUTS.slice(-1)) {
    test(`connect and undo keep ${name} of ${path}`, async () => {
      await inTree({ [path]: change(plain) }, async (home) => {
        const text = () => readFileSync(join(home, path), 'utf8');
        assert.equal((await connect(home, agent)).code, 0);
        const connected = text();
        assert.equal(connected.startsWith(MARK), change('x').startsWith(MARK));
        assert.equal(/(?<!\r)\n/.test(connected), /(?<!\r)\n/.test(change(plain)));
        assert.equal(/\n$/.test(connected), /\n$/.test(change(plain)));
        assert.match(connected, /127\.0\.0\.1:3141/);
        const { stdout } = await run('doctor', [], { cwd: home, env: { HOME: home, USERPROFILE: home } });
        assert.doesNotMatch(stdout, /is not (?:JSON|TOML)/);
        assert.equal((await connect(home, agent, '--undo')).code, 0);
        assert.equal(text(), change(plain));
      });
    });
  }
}

const ENCODINGS: readonly (readonly [bytes: Buffer, message: RegExp])[] = [
  [Buffer.from(`${MARK}{}`, 'utf16le'), /is UTF-16 text; save it as UTF-8/],
  [Buffer.from(`${MARK}{}`, 'utf16le').swap16(), /is UTF-16 text; save it as UTF-8/],
  [Buffer.from('{"a":"\xe4"}', 'latin1'), /is not UTF-8 text/],
];
for (const [bytes, message] of ENCODINGS) {
  test(`settings in another encoding are refused: ${bytes.toString('hex')}`, async () => {
    await inTree({ '.claude/x': '' }, async (home) => {
      const path = join(home, '.claude/settings.json');
      writeFileSync(path, bytes);
      const { code, stderr } = await connect(home, 'claude-code');
      assert.equal(code, 1);
      assert.match(stderr, message);
      assert.ok(readFileSync(path).equals(bytes));
    });
  });
}

test('settings that are no file are refused without waiting for a writer', {
  skip: process.platform === 'win32',
}, async () => {
  await inTree({ '.claude/x': '', '.codex/x': '' }, async (home) => {
    const pipe = join(home, '.claude/settings.json');
    execFileSync('mkfifo', [pipe]);
    symlinkSync('/dev/zero', join(home, '.codex/config.toml'));
    for (const agent of ['claude-code', 'codex'] as const) {
      const { code, stderr } = await connect(home, agent);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /is a pipe, a device or a socket/);
    }
  });
});

/** Links by name, with their targets, below the home; `null` as the final path refuses the change. */
const LINKS: readonly {
  readonly name: string;
  readonly links: Readonly<Record<string, string>>;
  readonly written: string | null;
  readonly says?: RegExp;
}[] = [
  {
    name: 'an absolute link',
    links: { '.claude/settings.json': '/dotfiles/s.json' },
    written: 'dotfiles/s.json',
  },
  {
    name: 'a relative link',
    links: { '.claude/settings.json': '../dotfiles/s.json' },
    written: 'dotfiles/s.json',
  },
  {
    name: 'a chain of links',
    links: { '.claude/settings.json': '../a', a: 'dotfiles/b', 'dotfiles/b': 's.json' },
    written: 'dotfiles/s.json',
  },
  {
    name: 'a link below a link to a folder',
    links: { '.claude': 'dotfiles', 'dotfiles/settings.json': 's.json' },
    written: 'dotfiles/s.json',
  },
  {
    name: 'a link whose folder does not exist',
    links: { '.claude/settings.json': '../nowhere/s.json' },
    written: null,
    says: /is a link to .*nowhere\/s\.json, whose folder does not exist/,
  },
  {
    name: 'a link to itself',
    links: { '.claude/settings.json': 'settings.json' },
    written: null,
    says: /is a link that leads back to itself/,
  },
  {
    name: 'a circle of links',
    links: { '.claude/settings.json': '../a', a: '.claude/settings.json' },
    written: null,
    says: /is a link that leads back to itself/,
  },
];
for (const { name, links, written, says } of LINKS) {
  for (const text of written === null ? [null] : [null, '{}\n']) {
    test(`connect keeps ${name} (target: ${text === null ? 'missing' : 'present'})`, async () => {
      await inTree({ 'dotfiles/x': '' }, async (home) => {
        for (const [link, target] of Object.entries(links)) {
          mkdirSync(dirname(join(home, link)), { recursive: true });
          symlinkSync(target.startsWith('/') ? join(home, target) : target, join(home, link));
        }
        if (text !== null) writeFileSync(join(home, written!), text);
        const { code, stderr } = await connect(home, 'claude-code');
        for (const link of Object.keys(links)) assert.ok(lstatSync(join(home, link)).isSymbolicLink(), link);
        assert.equal(code, written === null ? 1 : 0, stderr);
        if (says !== undefined) assert.match(stderr, says);
        if (written === null) return;
        const path = join(home, written);
        assert.ok(lstatSync(path).isFile());
        assert.match(readFileSync(path, 'utf8'), /api\/hooks\/claude-code/);
        const backups = readdirSync(dirname(path)).filter((one) => one.includes('backup'));
        assert.deepEqual(backups, text === null ? [] : ['s.json.backup-1']);
        for (const backup of backups) assert.ok(lstatSync(join(dirname(path), backup)).isFile());
        assert.equal((await connect(home, 'claude-code', '--undo')).code, 0);
        for (const link of Object.keys(links)) assert.ok(lstatSync(join(home, link)).isSymbolicLink(), link);
      });
    });
  }
}

test('connect refuses a link to a read-only file, and keeps both', async () => {
  await inTree({ 'store/s.json': '{}\n', '.claude/x': '' }, async (home) => {
    const target = join(home, 'store/s.json');
    chmodSync(target, 0o444);
    symlinkSync(target, join(home, '.claude/settings.json'));
    const { code, stderr } = await connect(home, 'claude-code');
    assert.equal(code, 1);
    assert.match(stderr, /is a link to .*store\/s\.json, which is read-only; change its source/);
    assert.ok(lstatSync(join(home, '.claude/settings.json')).isSymbolicLink());
    assert.deepEqual([readFileSync(target, 'utf8'), readdirSync(join(home, 'store'))], ['{}\n', ['s.json']]);
  });
});

const PORTS = ['http://127.0.0.1:4501', 'https://events.example:8443'];
for (const origin of PORTS) {
  test(`after Codex wrote its settings anew, connect and undo recognise the exporter for ${origin}`, async () => {
    await inTree({ '.codex/config.toml': 'model = "gpt-5"\n' }, async (home) => {
      const path = join(home, '.codex/config.toml');
      const anew = (server: string) =>
        `model = "gpt-5"\n\n[otel.exporter.otlp-http]\nprotocol = "json"\nendpoint = "${server}/v1/logs"\n`;
      assert.equal((await connect(home, 'codex', '--url', origin)).code, 0);
      writeFileSync(path, anew(origin));
      const moved = await connect(home, 'codex', '--url', 'http://127.0.0.1:4502');
      assert.equal(moved.code, 0, moved.stderr);
      assert.ok(!readFileSync(path, 'utf8').includes(origin));
      writeFileSync(path, anew('http://127.0.0.1:4502'));
      assert.equal((await connect(home, 'codex', '--undo')).code, 0);
      assert.equal(readFileSync(path, 'utf8').trim(), 'model = "gpt-5"');
      assert.ok(existsSync(`${path}.backup-1`));
    });
  });
}
