/**
 * Agents with one JSON file of settings: hooks, a member for telemetry, or both, by the recipe of the agent.
 *
 * Knows no agent.
 */
import { join } from 'node:path';
import { type Agent, type Place, quote, type ServerAddress, type TextEdit, tokenAdvice } from './agent.ts';
import { AgentHooks } from './agent-hooks.ts';
import { withHooks, withoutHooks } from './hooks-edit.ts';
import { withMember, withoutMember } from './json-member.ts';
import { objectText } from './json-object.ts';
import type { Recipe } from './recipe.ts';

/** Returns the path of the settings of the user, or of the project. Requires a recipe with settings. */
export function settingsPath({ settings }: Recipe, { home, cwd, env }: Place, isProject: boolean): string {
  const { variable, home_variable, folder, file } = settings!;
  if (isProject) return join(cwd, folder, file);
  const named = variable === undefined ? undefined : env[variable];
  const own = home_variable === undefined ? undefined : env[home_variable];
  return join(named || join(own || home, folder), file);
}

export function jsonAgent(recipe: Recipe): Agent {
  return {
    name: recipe.command,
    label: recipe.label,
    agent_type: recipe.agent_type,
    hasProjects: recipe.settings?.project === true,
    parts(place, choice) {
      const path =
        typeof choice === 'object' ? choice.file : settingsPath(recipe, place, choice === 'project');
      return [
        {
          path,
          connected: (text, server) => connectedJson(recipe, objectText(text), server, place),
          disconnected: (text) => disconnectedJson(recipe, objectText(text)),
        },
      ];
    },
    advice(server, { hasCurl }) {
      const { advice = [], advice_without_curl: without = [], label } = recipe;
      return [
        ...advice,
        ...(hasCurl ? [] : without),
        ...shellAdvice(recipe, server),
        ...tokenAdvice(server, label, recipe.headers_variable),
      ];
    },
  };
}

export function connectedJson(
  { hooks, member, comments = false, ...recipe }: Recipe,
  text: string,
  server: ServerAddress,
  place: Pick<Place, 'hasCurl'>,
): TextEdit {
  const kind = hooks === undefined ? null : new AgentHooks({ ...recipe, hooks, comments });
  const first =
    kind === null
      ? { text, changes: [] }
      : withHooks(text, kind, kind.handlersFor(server, place), server.origin);
  const second =
    member === undefined
      ? { text: first.text, changes: [] }
      : withMember(first.text, member, server.origin, comments);
  return { text: second.text, changes: [...first.changes, ...second.changes] };
}

export function disconnectedJson(
  { hooks, member, comments = false, ...recipe }: Recipe,
  text: string,
): TextEdit {
  const first = member === undefined ? { text, changes: [] } : withoutMember(text, member, comments);
  const second =
    hooks === undefined
      ? { text: first.text, changes: [] }
      : withoutHooks(first.text, new AgentHooks({ ...recipe, hooks, comments }));
  return { text: second.text, changes: [...second.changes, ...first.changes] };
}

/** Returns the variables that the agent's shell needs for this server. */
export function shellVariables({ shell = {} }: Recipe, origin: string): [name: string, value: string][] {
  return Object.entries(shell).map(([name, value]) => [name, value.replace('{origin}', origin)]);
}

function shellAdvice(recipe: Recipe, { origin }: ServerAddress): string[] {
  const variables = shellVariables(recipe, origin);
  if (variables.length === 0) return [];
  return [
    `No setting switches the telemetry of ${recipe.label} on. For token counts start it from a shell that has:`,
    ...variables.map(([name, value]) => `  export ${name}=${quote(value)}`),
  ];
}
