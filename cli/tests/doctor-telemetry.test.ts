/**
 * Tests broken set-ups of telemetry and hooks with both servers: the failure really occurs, and the doctor explains
 * it.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { join } from 'node:path';
import { test } from 'node:test';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { otlpRequest } from '@twin-ingest/testkit/otlp/description.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { connect, doctor, post, send, withServer } from './doctor-run.ts';

type Settings = Record<string, unknown> & { env: Record<string, string> };

interface SetUp {
  readonly name: string;
  readonly agent: string;
  /** The user's change to the settings after `connect`. */
  readonly change?: (settings: Settings) => unknown;
  readonly env?: Readonly<Record<string, string>>;
  readonly says: RegExp;
}

const BROKEN: readonly SetUp[] = [
  {
    name: 'telemetry that is switched off',
    agent: 'claude-code',
    change: ({ env }) => Object.assign(env, { CLAUDE_CODE_ENABLE_TELEMETRY: '0' }),
    says: /1 thing to do:\n.*telemetry of Claude Code is off \(CLAUDE_CODE_ENABLE_TELEMETRY in .* is 0\)/,
  },
  {
    name: 'hooks whose URL is blocked',
    agent: 'claude-code',
    change: (settings) => Object.assign(settings, { allowedHttpHookUrls: ['https://a/*'] }),
    // Without curl these are HTTP hooks.
    env: { PATH: '' },
    says: /1 thing to do:\n.*\n.*Add "http:\/\/127\.0\.0\.1:\d+\/\*" to allowedHttpHookUrls/,
  },
  {
    name: 'hooks that are not trusted',
    agent: 'codex',
    says: /1 thing to do:\n.*12 of 12 hooks are not trusted.*\n.*type \/hooks/,
  },
  {
    name: 'telemetry that the shell switches off',
    agent: 'gemini',
    env: { GEMINI_TELEMETRY_ENABLED: 'false' },
    says: /1 thing to do:\n.*telemetry of Gemini CLI is off \(.*GEMINI_TELEMETRY_ENABLED\)/,
  },
];

const logs = (scope: string, records: readonly Record<string, unknown>[]) => ({
  scope,
  logs: records.map((attributes) => ({ attributes })),
});
const CLAUDE_CODE = 'com.anthropic.claude_code';
const record = (name: string, more: object = {}) => ({ 'event.name': name, 'session.id': 's', ...more });

for (const name of TARGET_NAMES) {
  test(`the doctor explains settings that keep events from ${name}`, async (context) => {
    await inTree({}, async (folder) => {
      await withServer(name, folder, [], async ({ url }) => {
        for (const agent_type of ['claude_code', 'codex', 'gemini_cli'])
          for (const source of ['hook', 'otel']) assert.equal(await post(url, { agent_type, source }), 201);
        for (const { name: title, agent, change, env, says } of BROKEN)
          await context.test(title, async () => {
            await inTree({}, async (root) => {
              connect(root, agent, { origin: url, token_file: null }, env?.PATH !== '');
              if (change !== undefined) changeSettings(join(root, '.claude', 'settings.json'), change);
              const { code, stdout } = await doctor(root, [], env);
              assert.match(stdout, says);
              assert.equal(code, 1);
            });
          });
      });
    });
  });

  test(`the doctor explains a connection of gRPC to ${name}`, async () => {
    await inTree({}, async (root) => {
      await withServer(name, root, [], async ({ url }) => {
        connect(root, 'opencode', { origin: url, token_file: null });
        assert.equal(await post(url), 201);
        const session = connectHttp2(url);
        session.on('error', () => {});
        session.request({ ':method': 'POST', ':path': '/v1/logs' }).on('error', () => {});
        await once(session, 'close');
        const { code, stdout } = await doctor(root, []);
        assert.match(
          stdout,
          /1 thing to do:\n.*1 connection to .* spoke gRPC.*\n.*OTEL_EXPORTER_OTLP_PROTOCOL=http\/protobuf/,
        );
        assert.equal(code, 1);
      });
    });
  });

  test(`the doctor explains telemetry of ${name} that is no record`, async () => {
    await inTree({}, async (root) => {
      await withServer(name, root, [], async ({ url }) => {
        connect(root, 'opencode', { origin: url, token_file: null });
        assert.equal(await post(url), 201);
        const headers = { 'content-type': 'application/json' };
        const body = '{"resource_logs":[]}';
        for (const [path, status] of [
          ['/v1/logs/v1/logs', 404],
          ['/v1/logs', 200],
        ] as const)
          assert.equal((await fetch(`${url}${path}`, { method: 'POST', headers, body })).status, status);
        const { code, stdout } = await doctor(root, []);
        assert.match(stdout, /2 things to do:/);
        assert.match(
          stdout,
          /1 request to .* had almost an address of OTLP, the last one \/v1\/logs\/v1\/logs\./,
        );
        assert.match(stdout, /Set OTEL_EXPORTER_OTLP_ENDPOINT=http:\/\/127\.0\.0\.1:\d+ without a path/);
        assert.match(stdout, /1 request of OTLP to .* had no record/);
        assert.equal(code, 1);
      });
    });
  });

  test(`the doctor explains records that ${name} refuses, and counts them`, async () => {
    await inTree({}, async (root) => {
      await withServer(name, root, [], async ({ url }) => {
        connect(root, 'claude-code', { origin: url, token_file: null });
        assert.equal(await post(url, { agent_type: 'claude_code' }), 201);
        const large = record('user_prompt', { text: 'x'.repeat(300_000) });
        const refused = [record('a_new_name'), record('a_new_name'), large];
        await sendLogs(url, [logs(CLAUDE_CODE, refused), logs('another-program', [{}, {}])]);
        const { code, stdout } = await doctor(root, []);
        assert.match(
          stdout,
          /1 thing to do:\n.*has stored no telemetry of Claude Code, and refused 2 unknown_event, 1 too_large\.\n.*Get the newest commit/,
        );
        assert.match(stdout, /^Others\n.*2 refused, of a program that the servers do not know/m);
        assert.equal(code, 1);

        await sendLogs(url, [logs(CLAUDE_CODE, [record('user_prompt'), record('hook_registered')])]);
        const well = await doctor(root, []);
        assert.match(
          well.stdout,
          /5 logs.*: 1 stored; 0 duplicates; 1 skipped as noise; 2 refused, .*\(unknown_event\); 1 refused, too large/,
        );
        assert.deepEqual([well.code, well.stdout.endsWith('\n\nAll is well.\n')], [0, true], well.stdout);
      });
    });
  });

  test(`the doctor explains a full disk of ${name}`, async (context) => {
    await inTree({}, async (root) => {
      const disk = join(root, 'data');
      mkdirSync(disk);
      // A mount namespace for the server alone: it needs no root, and its file system ends with the server.
      const mount = 'mount -t tmpfs -o size=4m,mode=0700 tmpfs "$1" && shift && exec "$@"';
      const wrapper = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', mount, 'sh', disk];
      if (spawnSync(wrapper[0]!, [...wrapper.slice(1), 'true']).status !== 0)
        return context.skip('this machine gives no small file system to a user');
      await withServer(
        name,
        root,
        [],
        async ({ url }) => {
          connect(root, 'opencode', { origin: url, token_file: null });
          assert.equal(await post(url), 201);
          let status = 201;
          for (let events = 0; status === 201 && events < 2000; events += 1)
            status = await post(url, { metadata: 'x'.repeat(9000) });
          assert.equal(status, 507);
          const { code, stdout } = await doctor(root, []);
          assert.match(stdout, /: degraded \(/);
          assert.match(
            stdout,
            /1 thing to do:\n.*is full, so it stores nothing \(storage_full\)\.\n.*Free space/,
          );
          assert.equal(code, 1);
        },
        wrapper,
      );
    });
  });
}

function changeSettings(path: string, change: (settings: Settings) => unknown): void {
  const settings = JSON.parse(readFileSync(path, 'utf8')) as Settings;
  change(settings);
  writeFileSync(path, JSON.stringify(settings));
}

async function sendLogs(url: string, groups: Parameters<typeof otlpRequest>[0]): Promise<void> {
  assert.equal(await send(`${url}/v1/logs`, otlpRequest(groups)), 200);
}
