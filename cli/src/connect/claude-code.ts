/**
 * Claude Code: hooks for its actions, and variables in `env` for its logs, which have tokens and cost. Both are in one
 * settings file.
 */
import {
  type Agent,
  type Choice,
  type Place,
  type ServerAddress,
  type TextEdit,
  tokenAdvice,
} from './agent.ts';
import { AgentHooks } from './agent-hooks.ts';
import { withoutTelemetry, withTelemetry } from './claude-env.ts';
import { claudeObstacles, ownSettings, projectSettings, readScopes } from './claude-scopes.ts';
import { handlersOf, withHooks, withoutHooks } from './hooks-edit.ts';
import { objectText } from './json-object.ts';
import { recipeOf } from './recipe.ts';

const RECIPE = recipeOf('env');
export const CLAUDE_HOOKS = new AgentHooks(RECIPE);

export const CLAUDE_CODE: Agent = {
  name: RECIPE.command,
  label: RECIPE.label,
  agent_type: RECIPE.agent_type,
  hasProjects: true,
  parts(place: Place, choice: Choice) {
    const path =
      typeof choice === 'object'
        ? choice.file
        : choice === 'project'
          ? projectSettings(place)
          : ownSettings(place);
    return [
      {
        path,
        connected: (text, server) => connectedClaude(objectText(text), server, place),
        disconnected: (text) => disconnectedClaude(objectText(text)),
      },
    ];
  },
  advice(server, place) {
    return [
      'Hooks hold prompts, commands and files. Telemetry holds token counts, cost and the names of tools.',
      ...(place.hasCurl
        ? []
        : [
            'Command hooks need a POSIX shell and curl, which this machine lacks, so most are HTTP hooks.',
            'While no server runs, Claude Code shows under each prompt and call that they failed.',
          ]),
      'Connect your own settings or those of a project, not both: hooks may be stored twice.',
      ...claudeObstacles(readScopes(place), server, !place.hasCurl).map(
        ({ what, remedy }) => `${what} ${remedy}`,
      ),
      ...tokenAdvice(server, 'Claude Code'),
    ];
  },
};

export function connectedClaude(
  text: string,
  server: ServerAddress,
  place: Pick<Place, 'env' | 'hasCurl'>,
): TextEdit {
  const origins = hookOrigins(text);
  const hooks = withHooks(text, CLAUDE_HOOKS, CLAUDE_HOOKS.handlersFor(server, place), server.origin);
  const env = withTelemetry(hooks.text, server.origin, origins, place.env);
  return { text: env.text, changes: [...hooks.changes, ...env.changes] };
}

export function disconnectedClaude(text: string): TextEdit {
  const env = withoutTelemetry(text, hookOrigins(text));
  const hooks = withoutHooks(env.text, CLAUDE_HOOKS);
  return { text: hooks.text, changes: [...hooks.changes, ...env.changes] };
}

/** Returns the servers that our hooks in this text send to. */
export function hookOrigins(text: string): string[] {
  const origins = handlersOf(text).flatMap(({ handler }) => CLAUDE_HOOKS.serverOf(handler)?.origin ?? []);
  return [...new Set(origins)];
}
