/**
 * Builds the hook handlers for Codex, by event (https://developers.openai.com/codex/hooks).
 * `contract/agents/codex/connect.json` lists the events.
 *
 * Codex has only command hooks. Invariant: it recognises exactly its own handlers, to the byte, and no handler
 * contains a secret.
 */
import { isDeepStrictEqual } from 'node:util';
import AGENT from '../../../contract/agents/codex/agent.json' with { type: 'json' };
import RECIPE from '../../../contract/agents/codex/connect.json' with { type: 'json' };
import type { Place, ServerAddress } from './agent.ts';
import type { CommandHandler } from './claude-hooks.ts';
import { commandOf, earlierCommandOf, type HookCommand, readCommand } from './hook-command.ts';
import type { HookKind } from './hooks-edit.ts';
import { isObject } from './json-object.ts';

/** The route for hooks, as in contract/routes.json. */
export const CODEX_HOOK_PATH = '/api/hooks/codex';

export const CODEX_AGENT_TYPE = AGENT.agent_type;

/** Time limit in seconds: the most that Codex grants at the end of a session. */
const TIMEOUT_S = RECIPE.hooks.command_timeout_s;

/** Returns the handler of each event, in the contract's order. Without curl there is none. */
export function codexHandlersFor(
  server: ServerAddress,
  { hasCurl }: Pick<Place, 'hasCurl'>,
): ReadonlyMap<string, CommandHandler> {
  if (!hasCurl) return new Map();
  return new Map(Object.keys(RECIPE.hooks.events).map((event) => [event, handlerOf(server, commandOf)]));
}

export const CODEX_HOOKS: HookKind = {
  isOwn(handler) {
    const server = codexServerOf(handler);
    if (server === null) return false;
    return [commandOf, earlierCommandOf].some((build) =>
      isDeepStrictEqual(handlerOf(server, build), handler),
    );
  },
  isAbout(handler, origin = '') {
    const { command } = isObject(handler) ? handler : {};
    return typeof command === 'string' && command.includes(`${origin}${CODEX_HOOK_PATH}`);
  },
  describe(handler) {
    const server = codexServerOf(handler);
    const command = isObject(handler) ? handler.command : handler;
    return server === null
      ? `command  ${command}`
      : `command  sh, curl to ${server.origin}${CODEX_HOOK_PATH}`;
  },
};

/** Returns the server of a handler that may be ours. */
export function codexServerOf(handler: unknown): ServerAddress | null {
  const read = readCommand(isObject(handler) ? handler.command : undefined);
  if (read === null || !read.url.endsWith(CODEX_HOOK_PATH)) return null;
  return { origin: read.url.slice(0, -CODEX_HOOK_PATH.length), token_file: read.token_file };
}

function handlerOf(
  { origin, token_file }: ServerAddress,
  build: (command: HookCommand) => string,
): CommandHandler {
  const command = build({ url: `${origin}${CODEX_HOOK_PATH}`, token_file });
  return { type: 'command', command, timeout: TIMEOUT_S };
}
