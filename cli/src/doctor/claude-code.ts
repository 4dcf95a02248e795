/** Reads the settings of Claude Code from all files that it merges. */

import { COMMAND } from '../command-name.ts';
import type { Place, ServerAddress } from '../connect/agent.ts';
import { CLAUDE_CODE, CLAUDE_HOOKS, connectedClaude } from '../connect/claude-code.ts';
import { telemetryEnv } from '../connect/claude-env.ts';
import { claudeFiles, claudeObstacles, readScopes } from '../connect/claude-scopes.ts';
import { handlersOf } from '../connect/hooks-edit.ts';
import { isObject } from '../connect/json-object.ts';
import type { Problem } from '../connect/problem.ts';
import {
  elsewhereProblem,
  endpointProblem,
  grpcProblem,
  type Inspect,
  originOfUrl,
  readOf,
  type Way,
} from './inspection.ts';

const { label } = CLAUDE_CODE;

export const inspectClaude: Inspect = (place, server) => {
  const problems: Problem[] = [];
  const ways: Way[] = [];
  let hasHttp = false;
  for (const file of claudeFiles(place)) {
    const found = readOf(file, label, problems, (text) => hooksIn(text, file, place));
    if (found === null) continue;
    if (found.way !== null) ways.push(found.way);
    hasHttp ||= found.hasHttp;
    problems.push(...found.problems);
  }
  if (ways.length > 1)
    problems.push({
      code: 'changed_by_hand',
      what: `Hooks are connected in ${ways.map(({ file }) => file).join(' and in ')}, so hooks may be stored twice.`,
      remedy: `Take one of them out: ${COMMAND} connect claude-code --undo, for a project with --project.`,
    });
  const scopes = readScopes(place);
  for (const way of ways)
    problems.push(...claudeObstacles(scopes, { origin: way.origin, token_file: way.token_file }, hasHttp));
  const telemetry = telemetryOf(place, server, ways);
  if (telemetry.way !== null) ways.push(telemetry.way);
  return { agent: CLAUDE_CODE, ways, problems: [...problems, ...telemetry.problems] };
};

interface Hooks {
  readonly way: Way | null;
  /** Whether one of our hooks is an HTTP hook. */
  readonly hasHttp: boolean;
  readonly problems: readonly Problem[];
}

function hooksIn(text: string, file: string, place: Place): Hooks {
  const ours = handlersOf(text).filter(({ handler }) => CLAUDE_HOOKS.isAbout(handler));
  const origin = ours.map(({ handler }) => originOfHandler(handler)).find((one) => one !== null) ?? null;
  if (origin === null) return { way: null, hasHttp: false, problems: [] };
  const hasHttp = ours.some(({ handler }) => isObject(handler) && handler.type === 'http');
  const servers = ours.flatMap(({ handler }) => CLAUDE_HOOKS.serverOf(handler) ?? []);
  // A command hook names the token file; an HTTP hook only shows that there is a token.
  const token_file = servers.find((one) => one.token_file)?.token_file ?? servers[0]?.token_file ?? null;
  const way: Way = { what: 'hooks', origin, file, token_file };
  const { changes } = connectedClaude(text, { origin, token_file }, place);
  const missing = changes.filter(({ kind, name }) => kind === 'add' && !/OTEL|TELEMETRY/.test(name));
  if (missing.length === 0) return { way, hasHttp, problems: [] };
  return {
    way,
    hasHttp,
    problems: [
      {
        code: 'incomplete',
        what: `${missing.length} hooks of ${label} are missing or out of date in ${file}: ${missing.map(({ name }) => name).join(', ')}.`,
        remedy: `Run ${COMMAND} connect claude-code again.`,
      },
    ],
  };
}

function originOfHandler(handler: unknown): string | null {
  const { url, command } = isObject(handler) ? handler : {};
  const text = `${url ?? ''} ${command ?? ''}`;
  const address = text.split(/[\s'"]/).find((word) => word.includes(CLAUDE_HOOKS.path));
  return address === undefined ? null : originOfUrl(address);
}

function telemetryOf(
  place: Place,
  server: ServerAddress,
  hooks: readonly Way[],
): { readonly way: Way | null; readonly problems: Problem[] } {
  // In ascending order of precedence: the environment, then the files.
  const files = readScopes(place).reverse();
  const sets = [
    { path: 'the environment', env: place.env },
    ...files.map(({ path, settings }) => ({ path, env: isObject(settings.env) ? settings.env : {} })),
  ];
  const effective = (name: string) => {
    const set = sets.findLast(({ env }) => env[name] !== undefined && env[name] !== '');
    return set === undefined ? null : { value: String(set.env[name]), where: `${name} in ${set.path}` };
  };
  const isConnected = hooks.length > 0;
  const enabled = effective('CLAUDE_CODE_ENABLE_TELEMETRY');
  const exporter = effective('OTEL_LOGS_EXPORTER');
  const isOn = /^(?:1|true)$/i.test(enabled?.value ?? '') && /\botlp\b/.test(exporter?.value ?? '');
  if (!isOn) return { way: null, problems: isConnected ? [offProblem(enabled, exporter)] : [] };

  const endpoint = effective('OTEL_EXPORTER_OTLP_LOGS_ENDPOINT');
  const general = effective('OTEL_EXPORTER_OTLP_ENDPOINT');
  const address =
    endpoint?.value ?? `${(general?.value ?? 'http://localhost:4318').replace(/\/$/, '')}/v1/logs`;
  const where = (endpoint ?? general)?.where ?? 'the default';
  const origin = originOfUrl(address);
  const known = [server.origin, ...hooks.map((way) => way.origin)];
  const isRow =
    origin !== null &&
    !isConnected &&
    telemetryEnv(origin).every(([name, value]) => effective(name)?.value === value);
  if (origin === null || (!known.includes(origin) && !isRow))
    return { way: null, problems: isConnected ? [elsewhereProblem(label, address, where)] : [] };
  const protocol = effective('OTEL_EXPORTER_OTLP_LOGS_PROTOCOL') ?? effective('OTEL_EXPORTER_OTLP_PROTOCOL');
  const path = endpointProblem(label, address, where);
  const problems = path === null ? [] : [path];
  if (protocol?.value === 'grpc')
    problems.push(grpcProblem(label, protocol.where, 'Set OTEL_EXPORTER_OTLP_LOGS_PROTOCOL to http/json.'));
  const file = files.find(
    ({ settings }) => isObject(settings.env) && settings.env.OTEL_LOGS_EXPORTER !== undefined,
  );
  const way: Way = {
    ...{ what: 'telemetry', origin, file: file?.path ?? 'the environment' },
    token_file: hooks[0]?.token_file ?? null,
  };
  return { way, problems };
}

function offProblem(
  enabled: { readonly value: string; readonly where: string } | null,
  exporter: { readonly value: string; readonly where: string } | null,
): Problem {
  const reasons = [
    ...(enabled === null ? ['CLAUDE_CODE_ENABLE_TELEMETRY is not set'] : []),
    ...(enabled !== null && enabled.value !== '1' ? [`${enabled.where} is ${enabled.value}`] : []),
    ...(exporter === null ? ['OTEL_LOGS_EXPORTER is not set'] : []),
    ...(exporter !== null && !exporter.value.includes('otlp')
      ? [`${exporter.where} is ${exporter.value}`]
      : []),
  ];
  return {
    code: 'telemetry_off',
    what: `The telemetry of ${label} is off (${reasons.join('; ')}), so the dashboard has no tokens and no cost of it.`,
    remedy: `Remove what is in the way, if anything, and run ${COMMAND} connect claude-code.`,
  };
}
