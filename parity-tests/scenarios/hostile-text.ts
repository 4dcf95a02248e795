/** Tests text that attacks a terminal or a log: it reaches the log in no raw form (rule PRO-01). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { Connection, compose } from '@twin-ingest/testkit/http/http-client.ts';
import type { Header } from '@twin-ingest/testkit/http/http-parser.ts';
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import CONFIG from '../../contract/config.json' with { type: 'json' };
import { type CommandResult, linesOf, runCommand } from '../src/command-line.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const HOSTILE_TEXT: ScenarioFile = {
  name: 'hostile-text',
  about: 'text that attacks a terminal or a log',
  scenarios: [
    {
      name: 'a log line has no control character and no token, and text of clients only in a refusal',
      rules: ['PRO-01', 'MET-01', 'STR-01', 'SEC-11'],
      uses: 'each',
      run: quietLog,
    },
    {
      name: 'lines for people and results of commands have no control character of a path or a value',
      rules: ['PRO-01', 'PRO-03', 'PRO-15'],
      attacks: ['X10'],
      uses: 'both',
      run: printableLines,
    },
    {
      name: 'no message has a user, a password or a query of a URL',
      rules: ['PRO-03'],
      attacks: ['X10'],
      uses: 'both',
      run: hiddenPasswords,
    },
  ],
};

const TOKEN = 'correct-horse-battery-staple';
const MARK = 'client-text';
/** Clears a terminal (C0 and C1), forges a line, reorders text, hides text, ends a line of JavaScript. */
const HOSTILE =
  '\u001b[2J\u009b2J\r\n\u007f{"level":"ERROR"}\u202egpj\u2066\u061c\u200b\u2028\u2029\ufeff\u0085';
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const HIDDEN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

async function quietLog(context: ScenarioContext): Promise<void> {
  const token = join(context.folder, 'token');
  writeFileSync(token, TOKEN);
  chmodSync(token, 0o600);
  const name = HOSTILE.replace('/', '');
  const flags = ['--log-level', 'trace', '--token-file', token];
  const server = await context.start({ db: context.db(`${name}.db`), flags });
  const text = `${MARK}${HOSTILE}`;
  const event = {
    session_id: text,
    agent_type: text,
    event_type: 'tool_use',
    tool_name: text,
    branch: text,
    metadata: { [text]: text },
  };
  const bytes = Buffer.from(JSON.stringify(event));
  // A server refuses control characters in a head (rule HTT-08).
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
  const raw = Buffer.from(text.replace(/[\u0000-\u001f\u007f]/g, ''), 'utf8').toString('latin1');
  const send = async (
    method: string,
    path: string,
    headers: readonly Header[],
    body: Buffer,
    auth = TOKEN,
  ) => {
    const connection = await Connection.open(server.port);
    context.atEnd(() => connection.close());
    const all: Header[] = [
      ['host', '127.0.0.1'],
      ['authorization', `Bearer ${auth}`],
      ['content-length', String(body.length)],
      ...headers,
    ];
    const answer = await connection.exchange(compose(method, path, all, body));
    return answer.kind === 'response' ? answer.response.status : answer.kind;
  };
  const json: Header = ['content-type', 'application/json'];
  assert.equal(await send('POST', '/api/events', [json], bytes), 201);
  assert.equal(await send('POST', '/api/hooks/claude-code', [json], bytes), 200);
  assert.equal(await send('POST', '/v1/logs', [json], bytes), 200);
  const half = bytes.subarray(0, -1);
  assert.equal(await send('POST', '/api/events', [json], half), 400);
  assert.equal(await send('GET', '/', [['user-agent', raw]], Buffer.alloc(0), MARK), 401);
  const empty = Buffer.alloc(0);
  for (const path of [`/${MARK}`, `/api/events?limit=${encodeURIComponent(text)}`, `/?token=${TOKEN}x`])
    await send('GET', path, [], empty);
  for (const header of ['host', 'origin', 'cookie', 'referer', 'accept', 'x-forwarded-for'])
    await send('GET', '/api/events', [[header, raw]], empty);
  await send('GET', `/${raw}`, [], empty);
  await send('PUT', `/api/events/1/attachments/${encodeURIComponent(MARK)}`, [['content-type', raw]], empty);

  const client = await Connection.open(server.port);
  context.atEnd(() => client.close());
  const auth: Header[] = [
    ['host', '127.0.0.1'],
    ['authorization', `Bearer ${TOKEN}`],
  ];
  const read = await client.exchange(compose('GET', '/api/events', auth, empty));
  assert.equal(read.kind === 'response' && read.response.status, 200);
  await server.stop();
  const log = server.stderr();
  const lines = log.split('\n').filter(Boolean);
  assert.ok(lines.length > 0);
  for (const line of lines) {
    const { level, message, reason } = JSON.parse(line) as Readonly<Record<string, string>>;
    assert.match(level!, /^(?:WARN|INFO|DEBUG|TRACE)$/, line);
    assert.ok(!HIDDEN.test(line), JSON.stringify(line));
    // The message of SEC-10, which has escapes for all but plain ASCII.
    if (message === 'request refused') assert.match(reason ?? '', /^[ -~]*$/);
    else assert.ok(!line.includes(MARK), line);
  }
  assert.ok(!log.includes(TOKEN), log);
  assert.ok(
    lines.some((line) => JSON.parse(line).db === context.db(`${name}.db`)),
    'the path is there, with escapes',
  );
}

/** Arguments that fail, or whose result has a hostile path. */
function argumentsWith(folder: string, name: string): string[][] {
  mkdirSync(folder);
  const path = join(folder, name);
  const options: readonly { readonly name: string; readonly value?: string }[] = CONFIG.options;
  const files = options.filter(({ value }) => /FILE|PATH/.test(value ?? '')).map((option) => option.name);
  const values = options.filter(({ value }) => value !== undefined).map((option) => option.name);
  const damaged = join(folder, `${name} damaged`);
  writeFileSync(damaged, HOSTILE);
  mkdirSync(path);
  return [
    [name],
    [`--${name}`],
    [`-x${name}`],
    [`--port=${name}`, `--bench=${name}`],
    // Another process may have the default port.
    ...values.map((option) => [...(option === 'port' ? [] : ['--port', '0']), `--${option}`, name]),
    ...files.map((option) => [
      '--port',
      '0',
      '--db',
      join(folder, 'a.db'),
      `--${option}`,
      join(path, 'none', name),
    ]),
    ['--port', '0', '--db', damaged],
    ['--port', '0', '--db', path],
    ['--port', '0', '--db', join(folder, 'b.db'), '--socket', damaged],
    ['--port', '0', '--db', join(folder, 'c.db'), '--ready-file', path],
    ...['backup', 'restore', 'verify', 'dump', 'load', name].flatMap((command) => [
      [command, damaged],
      [command, join(path, 'none')],
      [command, '--db', damaged],
      [command, path, '--db', damaged],
      [command, name, name],
    ]),
  ];
}

async function printableLines(context: ScenarioContext): Promise<void> {
  const name = HOSTILE.replaceAll('/', '');
  const [rs, ts] = await Promise.all(
    (['rs', 'ts'] as const).map(async (target) => {
      const folder = join(context.folder, target);
      const all = [];
      for (const args of argumentsWith(folder, name)) {
        const { exit, stdout, stderr } = await runCommand(target, args, { cwd: folder, killAfterMs: 6_000 });
        assert.ok(!HIDDEN.test(stdout + stderr), `${target} ${JSON.stringify({ args, stdout, stderr })}`);
        const words = args.join(' ').replaceAll(folder, '<folder>');
        const lines = `${stdout}${stderr}`.replaceAll(folder, '<folder>');
        // A server that was killed has printed its port, and one that has started has a log with times.
        all.push({ words, exit, lines: exit === null ? '' : lines.replace(/^\{"timestamp".*\n/gm, '') });
      }
      return all;
    }),
  );
  assert.deepEqual(rs, ts);
  const db = context.db(`${name}.db`);
  const server = await context.start({ db });
  await context
    .client(server)
    .ingest([{ ...event(), session_id: HOSTILE, metadata: { [HOSTILE]: HOSTILE } }]);
  await server.stop();
  const results = [
    ['backup', join(context.folder, `${name} copy`), '--db', db],
    ['verify', db],
    ['restore', join(context.folder, `${name} copy`), '--db', `${db} again`],
  ];
  for (const target of ['rs', 'ts'] as const) {
    const dump = await runCommand(target, ['dump', '--db', db], { cwd: context.folder });
    assert.ok(HIDDEN.test(dump.stdout), 'a program gets the bytes');
    const shown = atTerminal(target, ['dump', '--db', db]);
    assert.ok(!HIDDEN.test(shown), JSON.stringify(shown));
    assert.deepEqual(linesOf({ stdout: shown }), linesOf(dump));
    for (const args of results) {
      const own = args.map((word) =>
        word.endsWith('copy') || word.endsWith('again') ? `${word} ${target}` : word,
      );
      const ran = await runCommand(target, own, { cwd: context.folder });
      assert.deepEqual([ran.exit, ran.stderr], [0, ''], JSON.stringify(own));
      assert.ok(!HIDDEN.test(ran.stdout), JSON.stringify(ran.stdout));
      assert.ok(own.includes(String(linesOf(ran).at(-1)?.file)), ran.stdout);
    }
  }
}

/** Runs a command whose standard output is a terminal; returns what it shows. */
function atTerminal(target: 'rs' | 'ts', args: readonly string[]): string {
  const { command, args: first } = TARGETS[target];
  const words = [command, ...first, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const ran = spawnSync('script', ['-qec', `stty -opost; ${words}`, '/dev/null'], { encoding: 'utf8' });
  assert.equal(ran.status, 0, ran.stderr);
  return ran.stdout;
}

/** Forms of URLs with a secret, whole and broken. */
const SECRET = 'hunter2';
const SECRET_URLS = [
  `http://user:${SECRET}@host.example`,
  `https://${SECRET}@host.example:3141/path`,
  `nats://user:${SECRET}@host.example:4222`,
  `HTTP://user:${SECRET}@host.example`,
  `user:${SECRET}@host.example:3141`,
  `http://user:a@${SECRET}/${SECRET}?${SECRET}@host.example`,
  `http://user:${SECRET} ${SECRET}"\\${SECRET}@host.example`,
  `http://user:${SECRET}@`,
  `http://host.example/?token=${SECRET}`,
  `http://host.example/#${SECRET}`,
  `http://user:${SECRET}@host.example/?code=${SECRET}#${SECRET}`,
  `socks5h://user:${SECRET}@[::1]:1`,
];

async function hiddenPasswords(context: ScenarioContext): Promise<void> {
  const options: readonly { readonly name: string; readonly env: string }[] = CONFIG.options;
  const results = await Promise.all(
    (['rs', 'ts'] as const).map(async (target) => {
      const found: CommandResult[] = [];
      const note = async (args: readonly string[], env: Readonly<Record<string, string>>) => {
        const ran = await runCommand(target, args, { cwd: context.folder, env });
        const what = JSON.stringify({ target, args, env, ...ran });
        assert.equal(ran.exit, 2, what);
        assert.ok(!(ran.stdout + ran.stderr).includes(SECRET), what);
        found.push(ran);
      };
      for (const url of SECRET_URLS) {
        // Every problem is reported at once, so one call shows the messages of all options.
        await note([url, 'verify', ...options.flatMap(({ name }) => [`--${name}=${url}`])], {});
        await note([`--unknown=${url}`], Object.fromEntries(options.map(({ env }) => [env, url])));
        await note(['--forward', url, '--port', 'x'], {});
        await note(['--nats', url, '--port', 'x'], {});
        await note(['--webhook', url, '--port', 'x'], {});
      }
      return found;
    }),
  );
  assert.deepEqual(results[0], results[1]);
  assert.match(results[0]![0]!.stderr, /--forward must be .*"http:\/\/\*\*\*@host\.example"/);
}
