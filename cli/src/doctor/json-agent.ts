/**
 * Reads the settings of an agent with one JSON file, by its recipe: hooks, and a member or variables for telemetry.
 *
 * Knows no agent. The keys of the member are those of Gemini CLI and of its forks.
 */
import { join } from 'node:path';
import { COMMAND } from '../command-name.ts';
import type { Agent, Place, ServerAddress } from '../connect/agent.ts';
import { AgentHooks } from '../connect/agent-hooks.ts';
import { handlersOf, withHooks } from '../connect/hooks-edit.ts';
import { jsonAgent, settingsPath, shellVariables } from '../connect/json-agent.ts';
import { isWritten } from '../connect/json-member.ts';
import { type JsonObject, objectText, readMember, readObject } from '../connect/json-object.ts';
import type { Problem } from '../connect/problem.ts';
import type { MemberRecipe, Recipe } from '../connect/recipe.ts';
import { elsewhereProblem, grpcProblem, type Inspect, originOfUrl, readOf, type Way } from './inspection.ts';

export function inspectJson(recipe: Recipe): Inspect {
  const agent = jsonAgent(recipe);
  return (place, server) => {
    const problems: Problem[] = [];
    const ways = recipe.hooks === undefined ? [] : hookWays(recipe, agent, place, problems);
    const way = telemetryWay(recipe, agent, place, server, ways, problems);
    return { agent, ways: way === null ? ways : [...ways, way], problems };
  };
}

/** Returns the settings of the user, and of the project if the agent reads them. */
function filesOf(recipe: Recipe, { hasProjects }: Agent, place: Place): string[] {
  const own = settingsPath(recipe, place, false);
  return hasProjects ? [...new Set([own, settingsPath(recipe, place, true)])] : [own];
}

function hookWays(recipe: Recipe, agent: Agent, place: Place, problems: Problem[]): Way[] {
  const hooks = new AgentHooks(recipe);
  const ways = filesOf(recipe, agent, place).flatMap((file): Way[] => {
    const servers = readOf(file, agent.label, problems, (read) => {
      const text = objectText(read);
      const [first] = handlersOf(text, hooks.hasComments).flatMap(
        ({ handler }) => hooks.serverOf(handler) ?? [],
      );
      if (first === undefined) return [];
      const { changes } = withHooks(text, hooks, hooks.handlersFor(first, place), first.origin);
      const missing = changes.filter(({ kind }) => kind === 'add').map(({ name }) => name);
      if (missing.length > 0)
        problems.push({
          code: 'incomplete',
          what: `${missing.length} hooks of ${agent.label} are missing or out of date in ${file}: ${missing.join(', ')}.`,
          remedy: `Run ${COMMAND} connect ${agent.name} again.`,
        });
      if (isOff(text, hooks.hasComments))
        problems.push({
          code: 'hooks_off',
          what: `disableAllHooks is true in ${file}, so no hook runs.`,
          remedy: `Remove disableAllHooks from ${file}.`,
        });
      return [first];
    });
    return (servers ?? []).map(({ origin, token_file }) => ({ what: 'hooks', origin, file, token_file }));
  });
  if (ways.length > 1)
    problems.push({
      code: 'changed_by_hand',
      what: `Hooks are connected in ${ways.map(({ file }) => file).join(' and in ')}, so hooks may be stored twice.`,
      remedy: `Take one of them out: ${COMMAND} connect ${agent.name} --undo, for a project with --project.`,
    });
  return ways;
}

function isOff(text: string, hasComments: boolean): boolean {
  return readObject(text, hasComments).disableAllHooks === true;
}

function telemetryWay(
  recipe: Recipe,
  agent: Agent,
  place: Place,
  server: ServerAddress,
  hooks: readonly Way[],
  problems: Problem[],
): Way | null {
  const known = [server.origin, ...hooks.map(({ origin }) => origin)];
  if (recipe.member !== undefined)
    return memberWay(recipe, recipe.member, agent, place, known, hooks, problems);
  return recipe.shell === undefined ? null : shellWay(recipe, agent, place, known, hooks, problems);
}

/** Reads telemetry that only variables of the shell switch on. */
function shellWay(
  recipe: Recipe,
  { label }: Agent,
  { env }: Place,
  known: readonly string[],
  hooks: readonly Way[],
  problems: Problem[],
): Way | null {
  const origin = known.find((one) =>
    shellVariables(recipe, one).every(([name, value]) => env[name] === value),
  );
  if (origin !== undefined)
    return { what: 'telemetry', origin, file: 'the environment', token_file: hooks[0]?.token_file ?? null };
  const [first] = hooks;
  if (first === undefined) return null;
  const wanted = shellVariables(recipe, first.origin).map(([name, value]) => `export ${name}=${value}`);
  problems.push({
    code: 'telemetry_off',
    what: `The telemetry of ${label} is off in this shell, so the dashboard has no tokens of it.`,
    remedy: `Start ${label} from a shell with: ${wanted.join('; ')}.`,
  });
  return null;
}

function memberWay(
  recipe: Recipe,
  member: MemberRecipe,
  agent: Agent,
  place: Place,
  known: readonly string[],
  hooks: readonly Way[],
  problems: Problem[],
): Way | null {
  const { label } = agent;
  const [enabledVariable] = Object.entries(member.variables).find(([, key]) => key === 'enabled') ?? [];
  const { telemetry, file, managed, written } = telemetryOf(recipe, member, agent, place, problems);
  const endpoint = String(telemetry.otlpEndpoint ?? '');
  const origin = originOfUrl(endpoint);
  const isOurs = origin !== null && (written === endpoint || known.includes(origin));
  // A variable for all exporters, without the agent's own settings, does not connect it.
  if (!isOurs || telemetry.enabled === undefined) {
    if (hooks.length > 0 || written !== null)
      problems.push(
        origin === null
          ? {
              code: 'telemetry_off',
              what: `The telemetry of ${label} is off (telemetry.otlpEndpoint in ${file} is not set), so the dashboard has no tokens of it.`,
              remedy: `Remove what is in the way, if anything, and run ${COMMAND} connect ${agent.name}.`,
            }
          : elsewhereProblem(label, endpoint, `telemetry.otlpEndpoint in ${file}, or a variable`),
      );
    return null;
  }
  if (managed !== null)
    problems.push({
      code: 'managed',
      what: `${managed} sets telemetry, which overrides your own settings of ${label}.`,
      remedy: 'Only the administrator of this machine can change it.',
    });
  if (String(telemetry.enabled) !== 'true')
    problems.push({
      code: 'telemetry_off',
      what: `The telemetry of ${label} is off (telemetry.enabled in ${file}, or ${enabledVariable}).`,
      remedy: 'Set it to true.',
    });
  if (telemetry.otlpProtocol !== 'http')
    problems.push(
      grpcProblem(
        label,
        `telemetry.otlpProtocol, grpc unless set, in ${file}`,
        'Set telemetry.otlpProtocol to "http".',
      ),
    );
  if (new URL(endpoint).pathname !== '/')
    problems.push({
      code: 'wrong_path',
      what: `telemetry.otlpEndpoint in ${file} is ${endpoint}; ${label} adds /v1/logs to it, and the server has no such path.`,
      remedy: `Set it to ${origin}.`,
    });
  if (telemetry.target === 'gcp')
    problems.push(elsewhereProblem(label, 'Google Cloud', `telemetry.target in ${file}`));
  if (typeof telemetry.outfile === 'string')
    problems.push(elsewhereProblem(label, telemetry.outfile, `telemetry.outfile in ${file}`));
  return { what: 'telemetry', origin, file, token_file: hooks[0]?.token_file ?? null };
}

/** Merges the member of all files and the variables, as the agent does. */
function telemetryOf(
  recipe: Recipe,
  member: MemberRecipe,
  agent: Agent,
  place: Place,
  problems: Problem[],
): {
  readonly telemetry: JsonObject;
  readonly file: string;
  readonly managed: string | null;
  /** The address in a member that this program wrote; `null` if there is none. */
  readonly written: string | null;
} {
  const { comments = false } = recipe;
  const own = filesOf(recipe, agent, place);
  const read = (path: string): JsonObject | null => {
    // The hooks of the same file have reported what is wrong with it.
    const reported = recipe.hooks !== undefined && own.includes(path) ? [] : problems;
    return readOf(
      path,
      agent.label,
      reported,
      (text) => readMember(objectText(text), member.name, comments) ?? null,
    );
  };
  const system = systemSettings(recipe, place);
  const managed = system === null ? null : read(system);
  let telemetry: JsonObject = {};
  let [file] = own as [string];
  let written: string | null = null;
  for (const path of own) {
    const found = read(path);
    if (found === null) continue;
    telemetry = { ...telemetry, ...found };
    file = path;
    if (isWritten(member, found)) written = String(found.otlpEndpoint);
  }
  telemetry = { ...telemetry, ...managed };
  for (const [variable, key] of Object.entries(member.variables)) {
    const value = place.env[variable];
    if (value !== undefined && value !== '') telemetry = { ...telemetry, [key]: value };
  }
  return { telemetry, file, managed: managed === null ? null : system, written };
}

function systemSettings({ settings }: Recipe, { system, platform, env }: Place): string | null {
  const place = settings?.system;
  if (place === undefined) return null;
  const folder = platform === 'darwin' ? place.darwin : place.linux;
  return env[place.variable] || join(system, folder, settings!.file);
}
