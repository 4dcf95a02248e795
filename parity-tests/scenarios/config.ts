/** Tests the command line and the environment: both servers report every problem with the same text. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { type Ended, failedStart, plainLines } from '@twin-ingest/testkit/servers/failed-start.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const CONFIG: ScenarioFile = {
  name: 'config',
  about: 'flags and environment',
  scenarios: [
    { name: 'every problem is named, in its order', rules: ['PRO-03'], uses: 'each', run: problems },
    {
      name: 'both servers report wrong values with the same text',
      rules: ['PRO-03', 'PRO-09', 'LAW'],
      uses: 'both',
      run: sameText,
    },
    {
      name: 'an origin with a wildcard and the origin of files are refused with the reason',
      rules: ['SEC-02', 'PRO-03'],
      uses: 'each',
      run: origins,
    },
    {
      name: '--help and --version take precedence and exit with 0',
      rules: ['PRO-04'],
      uses: 'both',
      run: helpAndVersion,
    },
    {
      name: 'a flag takes precedence over its variable, and an empty variable is unset',
      rules: ['PRO-02'],
      uses: 'each',
      run: precedence,
    },
    {
      name: 'the problem of a flag that names a file says what is wrong with the file',
      rules: ['PRO-03'],
      uses: 'both',
      run: files,
    },
    {
      name: 'health has the name of the command line, which is bounded and printable',
      rules: ['PRO-19', 'HEA-01'],
      uses: 'each',
      run: commandName,
    },
    {
      name: 'the time zone is that of the flag, of its variable, or of TZ',
      rules: ['PRO-23', 'HEA-01'],
      uses: 'each',
      run: timeZone,
    },
    {
      name: 'a time zone that does not exist is refused, and one of the machine is reported',
      rules: ['PRO-23', 'PRO-03', 'LAW'],
      uses: 'both',
      run: unknownZone,
    },
    { name: 'a host that is not loopback needs a token', rules: ['PRO-09'], uses: 'each', run: openHost },
  ],
};

/** Flags, environment, and the number of problems that the server must report. */
type Wrong = readonly [flags: readonly string[], env: Readonly<Record<string, string>>, problems: number];

const WRONG: readonly Wrong[] = [
  [['--port', '65536'], {}, 1],
  [['--port', 'x', '--log-level', 'loud', '--durability', 'none'], {}, 3],
  [['--port', '1', '--port', '2'], {}, 1],
  [['--port=1', '--port', '1'], {}, 1],
  [['--port'], {}, 1],
  [['--port='], {}, 1],
  [['--nothing', 'stray'], {}, 2],
  [['stray', '--nothing=1', '-x'], {}, 3],
  [['--help=yes'], {}, 1],
  [[], { INGEST_NOTHING: '1', INGEST_ALSO: '2' }, 2],
  [[], { INGEST_PORT: '-1', INGEST_LOG_LEVEL: 'INFO' }, 2],
  [['--max-body-bytes', '1023', '--max-batch-events', '0', '--max-metadata-bytes', '255'], {}, 3],
  [['--max-body-bytes', '1e6', '--queue-events', '+5', '--queue-bytes', ' 70000000'], {}, 3],
  [['--queue-events', '9', '--max-batch-events', '10'], {}, 1],
  [['--queue-bytes', '2048', '--max-body-bytes', '4096'], {}, 1],
  [['--heartbeat-ms', '99', '--stats-interval-ms', '3600001', '--session-timeout-minutes', '10081'], {}, 3],
  [['--host', 'not a host', '--allow-host', 'a b', '--allow-origin', 'example.org'], {}, 3],
  [
    ['--allow-origin', 'http://localhost:*', '--allow-origin=*', '--allow-origin', 'https://*.example.org'],
    {},
    3,
  ],
  [['--allow-origin', 'null', '--allow-origin', 'NULL', '--allow-origin=file://'], {}, 3],
  [['--allow-origin', 'file:///index.html', '--allow-origin', 'File://host', '--allow-origin=nullx'], {}, 3],
  [[], { INGEST_ALLOW_ORIGINS: 'https://a.example,http://localhost:*,null' }, 2],
  [['--exit-with-stdin=true', '--exit-with-stdin='], {}, 2],
  [['--exit-with-stdin', '--exit-with-stdin', 'false'], {}, 2],
  [[], { INGEST_EXIT_WITH_STDIN: '1' }, 1],
  [['--stdin', 'json', '--socket', '', '--bench=true'], { INGEST_BENCH: 'yes' }, 4],
  [['--stdin', 'ndjson', '--exit-with-stdin'], {}, 1],
  [['--host', '0.0.0.0'], { INGEST_STDIN: 'msgpack', INGEST_EXIT_WITH_STDIN: 'true' }, 2],
  [['--host', '0.0.0.0'], {}, 1],
  [['--host', '::'], {}, 1],
  [['--token-file', '/nonexistent/token'], {}, 1],
  [['--token-file', 'short-token'], {}, 1],
  [['--db', ''], {}, 1],
  [['--idle-exit', '604801', '--idle-exit=-1'], {}, 2],
  [['--idle-exit', '1.5'], { INGEST_NEW_TOKEN: '1' }, 2],
  [['--command-name', ''], { INGEST_COMMAND_NAME: 'a\tb' }, 1],
  [[], { INGEST_COMMAND_NAME: 'a\u202eb' }, 1],
  [['--command-name', 'a\u0085b'], {}, 1],
  [['--command-name', `${'ü'.repeat(256)}x`], {}, 1],
  [['--new-token'], {}, 1],
  [['--exit-with-stdin'], { INGEST_NEW_TOKEN: 'true', INGEST_STDIN: 'ndjson' }, 2],
  [['--new-token', '--token-file', 'short-token'], {}, 1],
  [['--new-token', '--token-file', 'new-token', '--port', 'x'], {}, 1],
  [['--nothing', '--port', '70000', '--host', '0.0.0.0'], { INGEST_WHAT: '1', INGEST_LOG_LEVEL: 'x' }, 5],
];

async function problems(context: ScenarioContext): Promise<void> {
  for (const [flags, env, count] of WRONG) {
    const exit = await run(context, context.target, flags, env);
    assert.equal(exit.code, 2, describe(flags, env, exit));
    assert.equal(exit.stdout, '', describe(flags, env, exit));
    assert.equal(plainLines(exit.stderr).length, count, describe(flags, env, exit));
  }
  const exit = await run(context, context.target, ['--max-batch-events', '0', '--what', '--port', 'x'], {
    INGEST_X: '1',
  });
  assert.deepEqual(
    plainLines(exit.stderr).map((line) => line.replace(/^[a-z-]+: /, '')),
    [
      'unknown flag --what',
      'unknown environment variable INGEST_X',
      '--port must be an integer from 0 to 65535, not "x"',
      '--max-batch-events must be an integer from 1 to 1000000, not "0"',
    ],
  );
}

async function sameText(context: ScenarioContext): Promise<void> {
  for (const [flags, env] of WRONG) {
    const [one, other] = await Promise.all([run(context, 'rs', flags, env), run(context, 'ts', flags, env)]);
    assert.deepEqual(one, other, `${JSON.stringify(flags)} ${JSON.stringify(env)}`);
  }
}

async function origins(context: ScenarioContext): Promise<void> {
  const exit = await run(
    context,
    context.target,
    ['--allow-origin', 'http://localhost:*', '--allow-origin', 'null', '--allow-origin', 'app://-'],
    { INGEST_EXIT_WITH_STDIN: 'yes' },
  );
  assert.equal(exit.code, 2);
  assert.deepEqual(plainLines(exit.stderr), [
    '--allow-origin takes no wildcards, and "http://localhost:*" has one; give each origin in full, with its port',
    '--allow-origin cannot be "null": pages from files and sandboxed pages of any website share the origin null; serve the page from a custom protocol and allow its origin, such as app://-, or send requests from the main process of the app',
    'INGEST_EXIT_WITH_STDIN must be one of true, false, not "yes"',
  ]);
}

async function helpAndVersion(context: ScenarioContext): Promise<void> {
  const config: unknown = JSON.parse(
    readFileSync(new URL('../../contract/config.json', import.meta.url), 'utf8'),
  );
  const { options, headline } = config as { options: { name: string; env: string }[]; headline: string };
  const contract = readFileSync(new URL('../../contract/VERSION', import.meta.url), 'utf8').trim();
  for (const flags of [
    ['--help'],
    ['-h'],
    ['--port', 'x', '--help'],
    ['--version'],
    ['-V'],
    ['--version', '--nothing'],
  ]) {
    const [one, other] = await Promise.all([run(context, 'rs', flags, {}), run(context, 'ts', flags, {})]);
    assert.deepEqual(one, other, flags.join(' '));
    assert.equal(one.code, 0, flags.join(' '));
    assert.equal(one.stderr, '', flags.join(' '));
    if (flags.includes('--help') || flags.includes('-h')) {
      assert.ok(one.stdout.includes(headline));
      for (const option of options)
        assert.ok(one.stdout.includes(`--${option.name}`) && one.stdout.includes(option.env), option.name);
    } else {
      assert.match(
        one.stdout,
        new RegExp(`^ingest-server \\d+\\.\\d+\\.\\d+ \\(contract ${contract.replaceAll('.', '\\.')}\\)\\n$`),
      );
    }
  }
}

async function precedence(context: ScenarioContext): Promise<void> {
  const env = {
    INGEST_MAX_STREAM_CLIENTS: '7',
    INGEST_LOG_LEVEL: '',
    INGEST_MAX_BATCH_EVENTS: '2',
    INGEST_ALLOW_HOSTS: 'a.test,b.test',
  };
  const server = await context.start({
    env,
    flags: ['--max-batch-events=1', '--allow-host', 'c.test', '--allow-host', 'd.test'],
  });
  const client = context.client(server);
  const tooMany = await client.post('/api/events/batch', { events: [1, 2] });
  assert.equal(
    tooMany.text,
    '{"error":"Too many events in one batch","code":"batch_too_large","limit":1,"actual":2}',
  );
  const status = async (port: number, host: string): Promise<number> => {
    const other = new ApiClient(port, host);
    context.atEnd(() => other.close());
    return (await other.get('/livez')).status;
  };
  // A flag takes precedence over its variable, for lists as well.
  const { port } = server;
  assert.deepEqual(
    [await status(port, 'c.test'), await status(port, 'd.test:1'), await status(port, 'a.test')],
    [200, 200, 403],
  );
  await server.stop();
  const second = await context.start({ env });
  assert.equal(await status(second.port, 'b.test'), 200, 'a list in the environment is comma-separated');
}

/** Every flag that names a file which the server reads, with the flags that it needs. */
const FILE_FLAGS: readonly (readonly [flag: string, ...others: readonly string[]])[] = [
  ['--token-file'],
  ['--prices'],
  ['--redact'],
  ['--webhook-secret-file', '--webhook', 'http://127.0.0.1:1/'],
  ['--forward-token-file', '--forward', 'http://127.0.0.1:1'],
  [
    '--nats-token-file',
    '--store',
    'jetstream',
    '--nats',
    'nats://127.0.0.1:1',
    '--stream',
    'a',
    '--discard-large-metadata',
  ],
];

async function files(context: ScenarioContext): Promise<void> {
  const path = (name: string): string => `${context.folder}/${name}`;
  mkdirSync(path('folder'));
  writeFileSync(path('bytes'), Buffer.from([0x7b, 0xff, 0x7d]), { mode: 0o600 });
  writeFileSync(path('denied'), '', { mode: 0o600 });
  chmodSync(path('denied'), 0);
  symlinkSync('nothing', path('dangling'));
  symlinkSync('folder', path('linked-folder'));
  symlinkSync('loop', path('loop'));
  const cases: readonly (readonly [name: string, problem: string])[] = [
    ['nothing', ' "nothing" does not exist'],
    ['dangling', ' "dangling" does not exist'],
    ['folder', ' "folder" is a folder, not a file'],
    ['linked-folder', ' "linked-folder" is a folder, not a file'],
    ['bytes', ' "bytes" is not UTF-8 text'],
    ['loop', ' "loop" cannot be read'],
    ['bytes/below', ' "bytes/below" cannot be read'],
    ['', ' must not be empty'],
  ];
  // Root may read every file.
  const denied = [['denied', ' "denied" may not be read by this user']] as const;
  for (const [name, problem] of process.getuid?.() === 0 ? cases : [...cases, ...denied]) {
    for (const [flag, ...others] of FILE_FLAGS) {
      for (const target of TARGET_NAMES) {
        const exit = await run(context, target, [...others, flag, name], {});
        assert.equal(exit.code, 2, describe([flag, name], {}, exit));
        assert.deepEqual(plainLines(exit.stderr), [`${flag}${problem}`], target);
      }
    }
  }
}

async function openHost(context: ScenarioContext): Promise<void> {
  const exit = await run(context, context.target, ['--host', '0.0.0.0'], {});
  assert.equal(exit.code, 2);
  assert.ok(
    exit.stderr.includes('--host "0.0.0.0" is not a loopback address and needs --token-file'),
    exit.stderr,
  );
}

function run(
  context: ScenarioContext,
  target: 'rs' | 'ts',
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  writeFileSync(`${context.folder}/short-token`, 'short\n', { mode: 0o600 });
  return failedStart(target, flags, context.folder, env);
}

function describe(flags: readonly string[], env: Readonly<Record<string, string>>, exit: Ended): string {
  return `${JSON.stringify(flags)} ${JSON.stringify(env)}: exit ${exit.code}\n${exit.stdout}${exit.stderr}`;
}

async function commandName(context: ScenarioContext): Promise<void> {
  const names: readonly (readonly [name: string | null, shown: string])[] = [
    [null, 'twin-ingest'],
    ['npx twin-ingest', 'npx twin-ingest'],
    [
      `'/home/a b/用户/it'\\''s/twin-ingest' <b>"&amp;"</b>`,
      `'/home/a b/用户/it'\\''s/twin-ingest' <b>"&amp;"</b>`,
    ],
    ['ü'.repeat(256), 'ü'.repeat(256)],
  ];
  for (const [name, shown] of names) {
    const server = await context.start({ flags: name === null ? [] : ['--command-name', name] });
    const { text } = await context.client(server).get('/api/health');
    assert.equal((JSON.parse(text) as { command_name: string }).command_name, shown);
    await server.stop();
  }
  const exit = await run(context, context.target, ['--command-name', 'a\nb'], {});
  assert.equal(exit.code, 2);
  assert.deepEqual(plainLines(exit.stderr), [
    '--command-name must be at most 512 bytes without control and invisible characters, not "a\\nb"',
  ]);
}

type Zone = readonly [flags: readonly string[], env: Readonly<Record<string, string>>, name: string];

const ZONES: readonly Zone[] = [
  [[], { TZ: 'Asia/Kathmandu' }, 'Asia/Kathmandu'],
  [[], { TZ: ':Asia/Katmandu' }, 'Asia/Katmandu'],
  [[], { TZ: ':/usr/share/zoneinfo/Australia/Lord_Howe' }, 'Australia/Lord_Howe'],
  [[], { TZ: 'UTC', INGEST_TIME_ZONE: 'Asia/Kolkata' }, 'Asia/Kolkata'],
  [['--time-zone', 'Europe/Kyiv'], { TZ: 'UTC', INGEST_TIME_ZONE: 'Asia/Kolkata' }, 'Europe/Kyiv'],
];

async function timeZone(context: ScenarioContext): Promise<void> {
  for (const [flags, env, expected] of ZONES) {
    const server = await context.start({ flags, env });
    const health = (await context.client(server).get('/api/health')).json<{ time_zone: string }>();
    assert.equal(health.time_zone, expected);
    await server.stop();
    assert.ok(!server.stderr().includes('WARN'), server.stderr());
  }
}

async function unknownZone(context: ScenarioContext): Promise<void> {
  for (const name of ['Mars/Phobos', 'europe/berlin', 'CET-1CEST', ' UTC']) {
    for (const target of TARGET_NAMES) {
      const exit = await failedStart(target, ['--time-zone', name], context.folder);
      assert.equal(exit.code, 2, `${target} ${exit.stderr}`);
      assert.deepEqual(plainLines(exit.stderr), [
        `--time-zone must be the name of a time zone such as Europe/Berlin, not ${JSON.stringify(name)}`,
      ]);
    }
  }
  const zones: string[] = [];
  for (const target of TARGET_NAMES) {
    const server = await context.start({
      target,
      db: context.db(`${target}.db`),
      env: { TZ: 'Mars/Phobos' },
    });
    zones.push((await context.client(server).get('/api/health')).json<{ time_zone: string }>().time_zone);
    await server.stop();
    const warning = server
      .stderr()
      .split('\n')
      .find((line) => line.includes('time zone is unknown'));
    const { level, zone } = JSON.parse(warning ?? '{}') as { level?: string; zone?: string };
    assert.deepEqual([level, zone], ['WARN', 'Mars/Phobos'], target);
  }
  // The machine decides which zone follows, for both servers alike.
  assert.equal(zones[0], zones[1]);
}
