/**
 * Tests the diagnosis of correct and of broken settings, with both servers: each problem is explained, and no other
 * is reported.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inFolder } from '@twin-ingest/testkit/files/temporary-folder.ts';
import { type Tree, writeTree } from '@twin-ingest/testkit/files/tree.ts';
import { type RunningServer, startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { AGENTS } from '../src/connect/agents.ts';
import { connectedClaude } from '../src/connect/claude-code.ts';
import { CODEX_HOOKS } from '../src/connect/codex.ts';
import { withExporter } from '../src/connect/codex-otel.ts';
import { withHooks } from '../src/connect/hooks-edit.ts';
import { connectedJson } from '../src/connect/json-agent.ts';
import { memberFor } from '../src/connect/json-member.ts';
import { pluginFor } from '../src/connect/opencode.ts';
import type { ProblemCode } from '../src/connect/problem.ts';
import { ALL_RECIPES } from '../src/connect/recipe.ts';
import { type Diagnosis, diagnose } from '../src/doctor/diagnosis.ts';
import { reportLines } from '../src/doctor/report.ts';
import { send } from './doctor-run.ts';

const recipe = (command: string) => ALL_RECIPES.find((one) => one.command === command)!;
const geminiTelemetry = (origin: string) => memberFor(recipe('gemini').member!, origin);

type Settings = Record<string, unknown> & { hooks: Record<string, unknown>; env: Record<string, string> };
type Env = Readonly<Record<string, string>>;

const serverOf = (origin: string) => ({ origin, token_file: null });
const CLAUDE = '.claude/settings.json';
const MANAGED = 'system/etc/claude-code/managed-settings.json';
const claude = (
  origin: string,
  change: (settings: Settings) => unknown = () => undefined,
  hasCurl = true,
): Tree => {
  const { text } = connectedClaude('{}', serverOf(origin), { env: {}, hasCurl });
  const settings = JSON.parse(text) as Settings;
  change(settings);
  return { [CLAUDE]: settings };
};
const exporter = (origin: string) => withExporter('', serverOf(origin)).text;
/** `root` is the folder of hooks.json: Codex stores trust under its path. */
const codex = (origin: string, root: string, config = exporter(origin), isTrusted = true): Tree => {
  const server = serverOf(origin);
  const handlers = CODEX_HOOKS.handlersFor(server, { hasCurl: true });
  const names = [...handlers.keys()].map((name) => name.replaceAll(/(?<=.)[A-Z]/g, (letter) => `_${letter}`));
  const states = names.map(
    (name) =>
      `[hooks.state."${root}/.codex/hooks.json:${name.toLowerCase()}:0:0"]\ntrusted_hash = "sha256:0"\n`,
  );
  return {
    '.codex/config.toml': `${config}\n${isTrusted ? states.join('\n') : ''}`,
    '.codex/hooks.json': withHooks('{}', CODEX_HOOKS, handlers, origin).text,
  };
};
const gemini = (origin: string, change: object = {}): Tree => ({
  '.gemini/settings.json': { telemetry: { ...geminiTelemetry(origin), ...change } },
});
/** The settings of an agent with one JSON file. */
const json = (
  command: string,
  path: string,
  origin: string,
  change = (_: Record<string, unknown>) => {},
): Tree => {
  const settings = JSON.parse(connectedJson(recipe(command), '{}', serverOf(origin), { hasCurl: true }).text);
  change(settings);
  return { [path]: settings };
};
const qwen = (origin: string, change?: (settings: Record<string, unknown>) => void): Tree =>
  json('qwen-code', '.qwen/settings.json', origin, change);
const copilot = (origin: string): Tree => json('copilot-cli', '.copilot/settings.json', origin);
const opencode = (origin: string, change = (text: string) => text): Tree => ({
  '.config/opencode/plugins/twin-ingest.js': change(pluginFor(serverOf(origin))),
});

interface SetUp {
  readonly name: string;
  readonly files: (origin: string, root: string) => Tree;
  readonly env?: (origin: string) => Env;
  readonly hasCurl?: boolean;
  /** The expected problem; absent for correct settings. */
  readonly code?: ProblemCode;
  readonly says?: RegExp;
}

const WELL: readonly SetUp[] = [
  {
    name: 'all agents',
    files: (o, root) => ({
      ...{ ...claude(o), ...codex(o, root), ...gemini(o), ...opencode(o) },
      ...{ ...qwen(o), ...copilot(o) },
    }),
    env: (o) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: o }),
  },
  {
    name: 'an allowed URL',
    hasCurl: false,
    files: (o) =>
      claude(o, (settings) => Object.assign(settings, { allowedHttpHookUrls: [`${o}/*`] }), false),
  },
  {
    name: 'commands next to a list of allowed URLs',
    files: (o) => claude(o, (settings) => Object.assign(settings, { allowedHttpHookUrls: [] })),
  },
  {
    name: 'variables of the shell in place of the settings',
    files: (o) => claude(o, (settings) => Reflect.deleteProperty(settings, 'env')),
    env: (o) => ({
      ...{
        CLAUDE_CODE_ENABLE_TELEMETRY: '1',
        OTEL_LOGS_EXPORTER: 'otlp',
        OTEL_EXPORTER_OTLP_ENDPOINT: `${o}/`,
      },
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    }),
  },
];

const BROKEN: readonly SetUp[] = [
  {
    name: 'telemetry that only the shell can switch on',
    files: copilot,
    code: 'telemetry_off',
    says: /shell with: export OTEL_EXPORTER_OTLP_ENDPOINT=http/,
  },
  {
    name: 'a hook of Qwen Code that is missing',
    files: (o) => qwen(o, ({ hooks }) => Reflect.deleteProperty(hooks as object, 'Stop')),
    code: 'incomplete',
    says: /1 hooks of Qwen Code are missing .*: Stop\..*\n.*connect qwen-code again/,
  },
  {
    name: 'hooks of Qwen Code without telemetry',
    files: (o) => qwen(o, (settings) => Reflect.deleteProperty(settings, 'telemetry')),
    code: 'telemetry_off',
    says: /telemetry of Qwen Code is off/,
  },
  {
    name: 'telemetry of Qwen Code that a variable sends elsewhere',
    files: (o) => qwen(o),
    env: () => ({ QWEN_TELEMETRY_OTLP_ENDPOINT: 'http://127.0.0.1:1' }),
    code: 'own_telemetry',
    says: /telemetry of Qwen Code goes to http:\/\/127\.0\.0\.1:1/,
  },
  {
    name: 'hooks of Qwen Code that are switched off',
    files: (o) => qwen(o, (settings) => Object.assign(settings, { disableAllHooks: true })),
    code: 'hooks_off',
    says: /disableAllHooks/,
  },
  {
    name: 'settings of Claude Code that are no JSON',
    files: (o) => ({ ...opencode(o), [CLAUDE]: '{"a":1,}' }),
    code: 'bad_settings',
    says: /settings\.json is not JSON/,
  },
  {
    name: 'a hook of Claude Code that is missing',
    files: (o) => claude(o, ({ hooks }) => Reflect.deleteProperty(hooks, 'Stop')),
    code: 'incomplete',
    says: /1 hooks .* missing .*: Stop\./,
  },
  {
    name: 'hooks in two files',
    files: (o) => ({ ...claude(o), 'project/.claude/settings.local.json': claude(o)[CLAUDE] }),
    code: 'changed_by_hand',
    says: /stored twice/,
  },
  {
    name: 'hooks of Claude Code of an earlier version',
    files: (o) => claude(o, undefined, false),
    code: 'incomplete',
    says: /30 hooks .* out of date .*: SessionEnd, .*\n.*connect claude-code again/,
  },
  {
    name: 'a URL that is not allowed',
    hasCurl: false,
    files: (o) => ({
      ...claude(o, undefined, false),
      'project/.claude/settings.json': { allowedHttpHookUrls: ['https://a/*'] },
    }),
    code: 'url_blocked',
    says: /Add "http:\/\/127\.0\.0\.1:\d+\/\*" to allowedHttpHookUrls in .*project/,
  },
  {
    name: 'hooks that are switched off',
    files: (o) => claude(o, (settings) => Object.assign(settings, { disableAllHooks: true })),
    code: 'hooks_off',
    says: /Remove disableAllHooks/,
  },
  {
    name: 'managed hooks only',
    files: (o) => ({ ...claude(o), [MANAGED]: { allowManagedHooksOnly: true } }),
    code: 'managed',
    says: /runs none of your own hooks/,
  },
  {
    name: 'a managed collector',
    files: (o) => ({ ...claude(o), [MANAGED]: { env: { OTEL_LOGS_EXPORTER: 'otlp,console,x' } } }),
    code: 'managed',
    says: /sets OTEL_LOGS_EXPORTER to .*overrides/,
  },
  {
    name: 'telemetry of Claude Code that is off',
    files: (o) => claude(o, ({ env }) => Object.assign(env, { CLAUDE_CODE_ENABLE_TELEMETRY: '0' })),
    code: 'telemetry_off',
    says: /CLAUDE_CODE_ENABLE_TELEMETRY in .* is 0/,
  },
  {
    name: 'gRPC in the settings of Claude Code',
    files: (o) => claude(o, ({ env }) => Object.assign(env, { OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'grpc' })),
    code: 'grpc',
    says: /Set OTEL_EXPORTER_OTLP_LOGS_PROTOCOL to http\/json/,
  },
  {
    name: 'an endpoint of Claude Code without its path',
    files: (o) => claude(o, ({ env }) => Object.assign(env, { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: o })),
    code: 'wrong_path',
    says: /Set it to http:\/\/127\.0\.0\.1:\d+\/v1\/logs\./,
  },
  {
    name: 'logs that go to another collector',
    files: (o) =>
      claude(o, ({ env }) => Object.assign(env, { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'https://a/v1/logs' })),
    code: 'own_telemetry',
    says: /goes to https:\/\/a\/v1\/logs/,
  },
  {
    name: 'hooks of Codex that are not trusted',
    files: (o, root) => codex(o, root, exporter(o), false),
    code: 'hooks_untrusted',
    says: /12 of 12 hooks are not trusted[\s\S]*\/hooks/,
  },
  {
    name: 'hooks of Codex that are switched off',
    files: (o, root) => codex(o, root, `${exporter(o)}[features]\nhooks = false\n`),
    code: 'hooks_off',
    says: /hooks = false under \[features\]/,
  },
  {
    name: 'gRPC in the settings of Codex',
    files: (o, root) => codex(o, root, `[otel]\nexporter = { otlp-grpc = { endpoint = "${o}" } }\n`),
    code: 'grpc',
    says: /Replace it by: exporter = \{ otlp-http/,
  },
  {
    name: 'the short form of an exporter, which breaks Codex',
    files: (o, root) => codex(o, root, '[otel]\nexporter = "otlp-http"\n'),
    code: 'bad_settings',
    says: /each of its commands fails/,
  },
  {
    name: 'an exporter of Codex that is none',
    files: (o, root) => codex(o, root, '[otel]\nexporter = "none"\n'),
    code: 'telemetry_off',
    says: /is none.*Remove that line/s,
  },
  {
    name: 'an endpoint of Codex without its path',
    files: (o, root) => codex(o, root, exporter(o).replace('/v1/logs', '')),
    code: 'wrong_path',
    says: /where the server takes none/,
  },
  {
    name: 'hooks of Codex that its administrator forbids',
    files: (o, root) => ({
      ...codex(o, root),
      'system/etc/codex/requirements.toml': 'allow_managed_hooks_only = true\n',
    }),
    code: 'managed',
    says: /allow_managed_hooks_only is true/,
  },
  {
    name: 'settings of Codex that are no TOML',
    files: (o) => ({ ...opencode(o), '.codex/config.toml': 'a = \n' }),
    code: 'bad_settings',
    says: /config\.toml is not TOML/,
  },
  {
    name: 'gRPC in the settings of Gemini CLI, its default',
    files: (o) => gemini(o, { otlpProtocol: undefined }),
    code: 'grpc',
    says: /Set telemetry\.otlpProtocol to "http"/,
  },
  {
    name: 'telemetry of Gemini CLI that the environment switches off',
    files: (o) => gemini(o),
    env: () => ({ GEMINI_TELEMETRY_ENABLED: 'false' }),
    code: 'telemetry_off',
    says: /GEMINI_TELEMETRY_ENABLED/,
  },
  {
    name: 'an endpoint of Gemini CLI with a path',
    files: (o) => gemini(o, { otlpEndpoint: `${o}/v1/logs` }),
    code: 'wrong_path',
    says: /adds \/v1\/logs to it/,
  },
  {
    name: 'a plugin of OpenCode that was changed',
    files: (o) => opencode(o, (text) => text.replace('2000', '9000')),
    code: 'changed_by_hand',
    says: /Run \.\/twin-ingest connect opencode again/,
  },
  { name: 'no agent', files: () => ({}), code: 'not_connected', says: /No agent is connected/ },
];

/** Both servers, with an event of each agent by each way. */
const servers: RunningServer[] = [];
const folder = mkdtempSync(join(tmpdir(), 'doctor-settings-'));
before(async () => {
  for (const name of TARGET_NAMES) {
    const server = await startServer(name, { flags: ['--db', join(folder, `${name}.db`)] });
    servers.push(server);
    const events = AGENTS.flatMap(({ agent_type }) =>
      ['hook', 'otel'].map((source) => ({ session_id: 's', agent_type, source, event_type: 'response' })),
    );
    assert.equal(await send(`${server.url}/api/events/batch`, { events }), 201);
  }
});
after(async () => {
  for (const server of servers) await server.stop();
  rmSync(folder, { recursive: true });
});

async function diagnosisOf(
  { files, env, hasCurl = true }: Pick<SetUp, 'files' | 'env' | 'hasCurl'>,
  origin: string,
): Promise<Diagnosis> {
  return await inFolder(async (home) => {
    writeTree(home, files(origin, home));
    const cwd = join(home, 'project');
    const system = join(home, 'system');
    const place = { home, cwd, env: env?.(origin) ?? {}, system, platform: 'linux', hasCurl } as const;
    return await diagnose({ place, origin, token_file: null });
  });
}

for (const setUp of WELL) {
  test(`no problem is reported: ${setUp.name}`, async () => {
    for (const { url } of servers) {
      const diagnosis = await diagnosisOf(setUp, url);
      assert.deepEqual(diagnosis.problems, []);
      assert.deepEqual(reportLines(diagnosis, new Date()).slice(-2), ['', 'All is well.']);
    }
  });
}

for (const setUp of BROKEN) {
  test(`the doctor explains ${setUp.name}`, async () => {
    for (const { url } of servers) {
      const diagnosis = await diagnosisOf(setUp, url);
      assert.deepEqual(
        diagnosis.problems.map(({ code }) => code),
        [setUp.code],
      );
      assert.match(reportLines(diagnosis, new Date()).join('\n'), setUp.says!);
    }
  });
}

test('the doctor explains a server without telemetry routes', async () => {
  const old = createServer(({ url }, response) => {
    response.end(url === '/livez' || url === '/api/health' ? '{"status":"ok"}' : '{"events":[]}');
  });
  old.listen(0, '127.0.0.1');
  await once(old, 'listening');
  const { port } = old.address() as AddressInfo;
  const { problems } = await diagnosisOf({ files: (o) => gemini(o) }, `http://127.0.0.1:${port}`);
  assert.deepEqual(
    problems.map(({ code }) => code),
    ['old_server'],
  );
  assert.match(problems[0]!.remedy, /git pull/);
  old.closeAllConnections();
  old.close();
});
