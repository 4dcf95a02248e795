/** Reads config.toml and hooks.json of Codex, and its administrator's settings. */
import { join } from 'node:path';
import { COMMAND } from '../command-name.ts';
import type { Place, ServerAddress } from '../connect/agent.ts';
import { CODEX, CODEX_HOOKS, codexHome, isOwnOrigin } from '../connect/codex.ts';
import { exporterLine, type IsOwnOrigin, readToml, writtenOrigin } from '../connect/codex-otel.ts';
import { handlersOf, withHooks } from '../connect/hooks-edit.ts';
import { isObject, type JsonObject, objectText } from '../connect/json-object.ts';
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

const { label } = CODEX;

export const inspectCodex: Inspect = (place, server) => {
  const problems: Problem[] = [];
  const path = join(codexHome(place), 'config.toml');
  const table = readOf(path, label, problems, (text) => ({ settings: readToml(text) }));
  const hooksPath = join(codexHome(place), 'hooks.json');
  const hooks = readOf(hooksPath, label, problems, (text) => hooksIn(objectText(text), hooksPath, place));
  const ways: Way[] = hooks?.way ? [hooks.way] : [];
  problems.push(...(hooks?.problems ?? []));
  if (hooks?.way) problems.push(...trustProblems(table?.settings ?? {}, hooks.keys, path));
  const telemetry = telemetryOf(table?.settings ?? {}, isOwnOrigin(place), path, server, ways);
  if (telemetry.way !== null) ways.push(telemetry.way);
  problems.push(...telemetry.problems);
  if (ways.length > 0) problems.push(...managedProblems(place));
  return { agent: CODEX, ways, problems };
};

interface Hooks {
  readonly way: Way | null;
  /** The keys under which Codex stores whether a hook is trusted. */
  readonly keys: readonly string[];
  readonly problems: readonly Problem[];
}

function hooksIn(text: string, path: string, place: Place): Hooks {
  const keys: string[] = [];
  const servers: ServerAddress[] = [];
  for (const { event, group, at, handler } of handlersOf(text)) {
    if (!CODEX_HOOKS.isAbout(handler)) continue;
    const name = event.replaceAll(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
    keys.push(`${path}:${name}:${group}:${at}`);
    servers.push(...[CODEX_HOOKS.serverOf(handler)].filter((one) => one !== null));
  }
  const [server] = servers;
  if (server === undefined) return { way: null, keys: [], problems: [] };
  const { changes } = withHooks(text, CODEX_HOOKS, CODEX_HOOKS.handlersFor(server, place), server.origin);
  const missing = changes.filter(({ kind }) => kind === 'add');
  const problem: Problem = {
    code: 'incomplete',
    what: `${missing.length} hooks of ${label} are missing or out of date in ${path}.`,
    remedy: `Run ${COMMAND} connect codex again.`,
  };
  return {
    way: { what: 'hooks', origin: server.origin, file: path, token_file: server.token_file },
    keys,
    problems: missing.length === 0 ? [] : [problem],
  };
}

/** Codex stores in config.toml which hooks the user has trusted, and reports nothing about the others. */
function trustProblems(settings: JsonObject, keys: readonly string[], path: string): Problem[] {
  const problems: Problem[] = [];
  const { hooks: isOn, codex_hooks: wasOn } = member(settings, 'features');
  if ((isOn ?? wasOn) === false)
    problems.push({
      code: 'hooks_off',
      what: `hooks = false under [features] in ${path}, so Codex runs no hook.`,
      remedy: 'Remove that line.',
    });
  const states = member(member(settings, 'hooks'), 'state');
  const untrusted = keys.filter((key) => member(states, key).trusted_hash === undefined);
  if (untrusted.length > 0)
    problems.push({
      code: 'hooks_untrusted',
      what: `${untrusted.length} of ${keys.length} hooks are not trusted, so Codex does not run them and says nothing.`,
      remedy: 'Start codex, type /hooks, and trust those of twin-ingest.',
    });
  const off = keys.filter((key) => member(states, key).enabled === false);
  if (off.length > 0)
    problems.push({
      code: 'hooks_off',
      what: `${off.length} of ${keys.length} hooks are switched off in Codex.`,
      remedy: 'Start codex, type /hooks, and switch on those of twin-ingest.',
    });
  return problems;
}

function telemetryOf(
  settings: JsonObject,
  isOwn: IsOwnOrigin,
  path: string,
  server: ServerAddress,
  hooks: readonly Way[],
): { readonly way: Way | null; readonly problems: Problem[] } {
  const { exporter } = member(settings, 'otel');
  const isConnected = hooks.length > 0;
  const where = `otel.exporter in ${path}`;
  if (exporter === 'otlp-http' || exporter === 'otlp-grpc')
    return { way: null, problems: [shortFormProblem(exporter, path, server)] };
  if (exporter === undefined || exporter === 'none') {
    const what = `The telemetry of ${label} is off (${where} is ${exporter ?? 'not set'}), so the dashboard has no tokens of it.`;
    const remedy = `${exporter === undefined ? '' : 'Remove that line and '}run ${COMMAND} connect codex.`;
    const off: Problem = { code: 'telemetry_off', what, remedy };
    return { way: null, problems: isConnected ? [off] : [] };
  }
  const [kind, options] = Object.entries(isObject(exporter) ? exporter : {})[0] ?? ['', {}];
  const endpoint = String(isObject(options) ? options.endpoint : '');
  const origin = originOfUrl(endpoint) ?? '';
  const known = [server.origin, ...hooks.map((way) => way.origin)];
  const isWritten = writtenOrigin(exporter) === origin && isOwn(origin);
  const isOurs = known.includes(origin) || isWritten;
  const way: Way = { what: 'telemetry', origin, file: path, token_file: hooks[0]?.token_file ?? null };
  if (kind === 'otlp-grpc') {
    const problem = grpcProblem(
      label,
      where,
      `Replace it by: ${exporterLine(isOurs ? origin : server.origin)}`,
    );
    return { way: isOurs ? way : null, problems: [problem] };
  }
  if (!isOurs) return { way: null, problems: isConnected ? [elsewhereProblem(label, endpoint, where)] : [] };
  const wrong = endpointProblem(label, endpoint, where);
  return { way, problems: wrong === null ? [] : [wrong] };
}

function shortFormProblem(exporter: string, path: string, { origin }: ServerAddress): Problem {
  return {
    code: 'bad_settings',
    what: `exporter = "${exporter}" in ${path} is no form that Codex takes, so each of its commands fails.`,
    remedy: `Replace it by: ${exporterLine(origin)}`,
  };
}

/** Reads the administrator's files. */
function managedProblems({ system }: Place): Problem[] {
  const problems: Problem[] = [];
  for (const name of ['requirements.toml', 'managed_config.toml']) {
    const path = join(system, 'etc', 'codex', name);
    const settings = readOf(path, label, problems, readToml) ?? {};
    const found = [
      ...(settings.allow_managed_hooks_only === true ? ['allow_managed_hooks_only is true'] : []),
      ...(member(settings, 'features').hooks === false ? ['features.hooks is false'] : []),
      ...(member(settings, 'otel').exporter === undefined ? [] : ['otel.exporter is set']),
    ];
    for (const what of found)
      problems.push({
        code: 'managed',
        what: `${what} in ${path}, which overrides your own settings of ${label}.`,
        remedy: 'Only the administrator of this machine can change managed settings.',
      });
  }
  return problems;
}

function member(table: unknown, key: string): JsonObject {
  const value = isObject(table) ? table[key] : undefined;
  return isObject(value) ? value : {};
}
