/** Tests the command hooks: the bytes and the query that arrive, and that a hook is silent and ends in time. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import {
  commandFor,
  NOBODY,
  payload,
  type Recorder,
  run,
  type Surroundings,
  startRecorder,
} from './hook-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'hook-command-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const TOKEN = 'a"token\\of%s$sixteen`characters';
const token_file = join(folder, "it's a token");
writeFileSync(token_file, ` ${TOKEN}\n`, { mode: 0o600 });

/** The command ends after one second. The rest is for a machine with other load. */
const LIMIT_MS = 4_000;

const programOf = (name: string) =>
  process.env
    .PATH!.split(delimiter)
    .map((place) => join(place, name))
    .find((place) => existsSync(place));

async function withRecorder(
  status: number | null,
  work: (recorder: Recorder) => Promise<void>,
): Promise<void> {
  const recorder = await startRecorder(status);
  try {
    await work(recorder);
  } finally {
    await recorder.close();
  }
}

const PAYLOADS: Readonly<Record<string, Buffer>> = {
  'no byte': Buffer.alloc(0),
  'line ends at the end': Buffer.from('{"a":1}\n\r\n\n'),
  'NUL bytes': Buffer.from('\0{"a":"\0"}\0\n\0'),
  'no UTF-8': Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0xfe, 0x0a, 0x80]),
  'text for a shell': Buffer.from('@- -n %s $HOME `id` \' " \\n \\ \u2028 👍\n'),
  'every byte, often': Buffer.alloc(8_000_000, Buffer.from(Array.from({ length: 256 }, (_, i) => i))),
};
for (const [name, bytes] of Object.entries(PAYLOADS)) {
  test(`a payload arrives byte for byte: ${name}`, async () => {
    await withRecorder(200, async ({ origin, sent }) => {
      for (const file of [null, token_file]) await run(commandFor({ origin, token_file: file }), bytes);
      for (const { body, headers } of sent) {
        assert.ok(body.equals(bytes), `${body.length} of ${bytes.length} bytes`);
        assert.equal(headers['content-type'], 'application/json');
      }
      assert.deepEqual(
        sent.map(({ headers }) => headers.authorization),
        [undefined, `Bearer ${TOKEN}`],
      );
    });
  });
}

for (const target of TARGET_NAMES) {
  test(`${target} stores the payloads of hooks in their order, with a token and without one`, async () => {
    for (const file of [null, token_file]) {
      const flags = file === null ? [] : ['--token-file', file];
      const db = join(folder, `${target}-${flags.length}.db`);
      const server = await startServer(target, {
        cwd: folder,
        flags: ['--db', db, '--max-metadata-bytes', '16777216', ...flags],
      });
      try {
        const handler = commandFor({ origin: server.url, token_file: file });
        const words = [
          '',
          'ä “quoted” \\n %s $HOME `id` \' " \u2028 👍',
          'long and "quoted" '.repeat(60_000),
        ];
        const texts = words.map((more, i) => payload(`s${i}`, more));
        for (const one of texts) await run(handler, one);
        const headers = { authorization: `Bearer ${TOKEN}` };
        const response = await fetch(`${server.url}/api/events?order=asc`, { headers });
        const { events } = (await response.json()) as { events: { readonly metadata: unknown }[] };
        assert.deepEqual(
          events.map(({ metadata }) => metadata),
          texts.map((one) => JSON.parse(one)),
        );
      } finally {
        await server.stop();
      }
    }
  });
}

for (const [kernel, change] of [
  ['', (command: string) => command],
  [' of Linux before 5.14', (command: string) => command.replace('= ino:', '= none:')],
] as const) {
  test(`the query names the agent's process, the boot and the pid namespace${kernel}`, async () => {
    if (process.platform !== 'linux') return;
    await withRecorder(200, async ({ origin, sent }) => {
      const command = change(commandFor({ origin, token_file: null }).command);
      // An agent whose name looks like the fields behind it.
      const agent = join(mkdtempSync(join(folder, 'bin-')), 'a) R 1 (2');
      symlinkSync(programOf('sh')!, agent);
      const stat = 'read -r line </proc/$$/stat; printf "%s\\n" "$line"';
      const child = spawn(agent, ['-c', `${stat}; /bin/sh -c "$HOOK" </dev/null; exit`], {
        env: { ...process.env, HOOK: command, n: 'x', s: 'ino:' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = await Promise.all([textOf(child.stdout), once(child, 'close')]);
      assert.match(line, /^\d+ \(a\) R 1 \(2\) /);
      assert.deepEqual(Object.fromEntries(sent[0]!.url.searchParams), {
        pid: String(child.pid),
        pid_started: line.slice(line.lastIndexOf(')')).split(' ')[20],
        boot_id: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
        pid_namespace: /\d+/.exec(readlinkSync('/proc/self/ns/pid'))![0],
      });
    });
  });
}

const POSIX = ['sh', 'ash', 'bash', 'dash', 'ksh', 'mksh', 'yash'];
for (const shell of [...POSIX, 'zsh', 'fish', 'csh']) {
  const program = programOf(shell);
  test(`a hook works in ${shell}`, { skip: program === undefined }, async () => {
    await withRecorder(200, async ({ origin, sent }) => {
      for (const file of [null, token_file]) {
        const handler = commandFor({ origin, token_file: file });
        await run(handler, 'x\n\n', { shell: program! });
        const command = handler.command.replace('/bin/sh', program!);
        if (POSIX.includes(shell)) await run({ ...handler, command }, 'x\n\n');
      }
      for (const { url, body } of sent) {
        assert.equal(String(body), 'x\n\n');
        assert.equal(url.searchParams.get('pid'), String(process.pid));
      }
      assert.equal(sent.at(-1)!.headers.authorization, `Bearer ${TOKEN}`);
    });
  });
}

test('a token is in no argument and in no variable of a process', async () => {
  const bin = mkdtempSync(join(folder, 'bin-'));
  const seen = join(bin, 'seen');
  const listing = `for x; do printf "%s\\n" "$x"; done; env; cat /proc/$$/environ /proc/$PPID/environ /proc/$PPID/cmdline`;
  writeFileSync(
    join(bin, 'curl'),
    `#!/bin/sh\n{ ${listing}; } >'${seen}'\ncat /dev/fd/3 >'${seen}-header'\n`,
    {
      mode: 0o755,
    },
  );
  // The names of the script's own variables, which the agent's environment may have.
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, t: 'x', q: 'x', s: 'x' };
  await run(commandFor({ origin: NOBODY, token_file }), payload('s'), { env });
  assert.equal(readFileSync(`${seen}-header`, 'utf8'), `Authorization: Bearer ${TOKEN}\n`);
  assert.ok(readFileSync(seen, 'utf8').includes('--data-binary'));
  assert.ok(!readFileSync(seen, 'utf8').includes(TOKEN));
});

test('a hook on loopback passes by every proxy and every curlrc', async () => {
  await withRecorder(200, async ({ origin, sent }) => {
    await withRecorder(502, async (proxy) => {
      const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'];
      const proxies = Object.fromEntries(names.map((name) => [name, proxy.origin]));
      const curlrc = `proxy = "${proxy.origin}"\nretry = 9\nverbose\nmax-time = 9\n`;
      writeFileSync(join(folder, '.curlrc'), curlrc);
      const env = { ...process.env, ...proxies, NO_PROXY: '', no_proxy: '', HOME: folder, CURL_HOME: folder };
      await run(commandFor({ origin, token_file: null }), payload('s'), { env });
      await run(commandFor({ origin, token_file }), payload('s'), { env });
      assert.deepEqual([sent.length, proxy.sent.length], [2, 0]);
    });
  });
});

async function endsInTime(
  origin: string,
  surroundings?: Surroundings,
  file: string | null = null,
): Promise<void> {
  for (const text of [payload('s'), payload('s', 'x'.repeat(3_000_000))]) {
    const took_ms = await run(commandFor({ origin, token_file: file }), text, surroundings);
    assert.ok(took_ms < LIMIT_MS, `took ${took_ms} ms`);
  }
}

test('a hook is silent and ends in time without a server, and with one that does not answer', async () => {
  await endsInTime(NOBODY);
  await withRecorder(null, async ({ origin, sent }) => {
    await endsInTime(origin);
    assert.equal(sent.length, 2);
  });
});

for (const target of TARGET_NAMES) {
  test(`a hook is silent and ends in time while ${target} is frozen`, async () => {
    const server = await startServer(target, {
      cwd: folder,
      flags: ['--db', join(folder, `${target}-frozen.db`)],
    });
    try {
      process.kill(server.pid, 'SIGSTOP');
      await endsInTime(server.url);
    } finally {
      process.kill(server.pid, 'SIGCONT');
      await server.stop();
    }
  });
}

for (const status of [204, 302, 400, 401, 413, 500, 503]) {
  test(`a hook is silent when a server answers ${status}`, async () => {
    await withRecorder(status, async ({ origin }) => endsInTime(origin));
  });
}

test('a hook is silent and ends in time without curl, and without a file with a token', async () => {
  // A folder with only the shell.
  const bin = mkdtempSync(join(folder, 'bin-'));
  symlinkSync(programOf('sh')!, join(bin, 'sh'));
  await run(commandFor({ origin: NOBODY, token_file: null }), '', { env: { PATH: bin } });
  await run(commandFor({ origin: NOBODY, token_file }), '', { env: {} });
  const pipe = join(folder, 'pipe');
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  await withRecorder(401, async ({ origin, sent }) => {
    for (const file of [join(folder, 'none'), folder, pipe])
      await run(commandFor({ origin, token_file: file }), '', { env: { ...process.env, t: TOKEN } });
    for (const { headers } of sent) assert.equal(headers.authorization, 'Bearer');
  });
});

test('a hook ends in time while the agent keeps its input open, and leaves no process', async () => {
  await withRecorder(200, async ({ origin, sent }) => {
    for (const server of [NOBODY, origin]) {
      for (const file of [null, token_file]) {
        const { command } = commandFor({ origin: server, token_file: file });
        const from = performance.now();
        // Its own session, by which all its processes are found.
        const child = spawn('/bin/sh', ['-c', command], { detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
        child.stdin.write('{"a":');
        assert.deepEqual(await once(child, 'exit'), [0, null]);
        assert.ok(performance.now() - from < LIMIT_MS);
        await untilGone(child.pid!);
        child.stdin.destroy();
      }
    }
    assert.equal(sent.length, 0, 'no part of a payload arrives');
  });
});

test('a hook leaves no process of its time limit', async () => {
  await withRecorder(200, async ({ origin }) => {
    const { command } = commandFor({ origin, token_file: null });
    const child = spawn('/bin/sh', ['-c', command], {
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    await once(child, 'exit');
    const from = performance.now();
    await untilGone(child.pid!);
    assert.ok(performance.now() - from < 800, 'the limit of a second does not run on');
  });
});

/** Waits until no process of a session runs. One that its new parent has not yet waited for does not run. */
async function untilGone(session: number): Promise<void> {
  const inSession = ['-o', 'stat=', '-g', String(session)];
  for (const end = performance.now() + LIMIT_MS; ; await sleep(5)) {
    const states = spawnSync('ps', inSession, { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
    if (states.every((state) => state.startsWith('Z'))) return;
    assert.ok(performance.now() < end, 'a process of the hook remains');
  }
}

test('a hook is silent and ends in time when the agent has closed a pipe', async () => {
  const handler = commandFor({ origin: NOBODY, token_file: null });
  for (const closed of ['<&-', '>&-', '2>&-', '<&- >&- 2>&-', '>/dev/full 2>&1']) {
    const command = `{ ${handler.command}; } ${closed}`;
    const took_ms = await run({ ...handler, command }, '', { stdio: ['ignore', 'pipe', 'pipe'] });
    assert.ok(took_ms < LIMIT_MS, `took ${took_ms} ms`);
  }
});
