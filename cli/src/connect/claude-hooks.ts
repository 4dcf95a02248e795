/**
 * Builds the hook handlers for Claude Code, by event (https://code.claude.com/docs/en/hooks).
 * `contract/agents/claude-code/connect.json` lists the events.
 *
 * It uses commands, since Claude Code shows each HTTP hook that fails. Without curl it uses HTTP hooks where Claude Code
 * supports them. Invariant: it recognises exactly its own handlers, to the byte, and no handler contains a secret.
 * Knows nothing of files.
 */
import { isDeepStrictEqual } from 'node:util';
import RECIPE from '../../../contract/agents/claude-code/connect.json' with { type: 'json' };
import { type Place, type ServerAddress, TOKEN_VARIABLE } from './agent.ts';
import { commandOf, earlierCommandOf, type HookCommand, readCommand } from './hook-command.ts';
import type { HookKind } from './hooks-edit.ts';
import { isObject } from './json-object.ts';

export interface HttpHandler {
  readonly type: 'http';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly allowedEnvVars?: readonly string[];
  readonly timeout: number;
}

export interface CommandHandler {
  readonly type: 'command';
  readonly command: string;
  readonly timeout: number;
}

export type Handler = HttpHandler | CommandHandler;

/** The route for hooks, as in contract/routes.json. */
export const HOOK_PATH = '/api/hooks/claude-code';

/**
 * Seconds for which an unresponsive server may delay the agent, and after which Claude Code ends a command. The command
 * ends earlier.
 */
const { http_timeout_s: HTTP_TIMEOUT_S, command_timeout_s: COMMAND_TIMEOUT_S } = RECIPE.hooks;

/** Returns the handler of each event, in the contract's order. */
export function handlersFor(
  server: ServerAddress,
  { hasCurl }: Pick<Place, 'hasCurl'>,
): ReadonlyMap<string, Handler> {
  const handlers = new Map<string, Handler>();
  for (const [event, kind] of Object.entries(RECIPE.hooks.events)) {
    const isCommand = hasCurl || kind === 'command';
    handlers.set(event, isCommand ? commandHandler(server) : httpHandler(server));
  }
  return handlers;
}

export const CLAUDE_HOOKS: HookKind = {
  isOwn(handler) {
    const server = serverOf(handler);
    if (server === null) return false;
    const written = [httpHandler, commandHandler, earlierHandler];
    return written.some((own) => isDeepStrictEqual(own(server), handler));
  },
  isAbout(handler, origin = '') {
    const { url, command } = isObject(handler) ? handler : {};
    return [url, command].some((text) => typeof text === 'string' && text.includes(`${origin}${HOOK_PATH}`));
  },
  describe(handler) {
    const { type, url, command } = isObject(handler) ? handler : {};
    if (type === 'http') return `http     ${url}`;
    const server = serverOf(handler);
    return `command  ${server === null ? command : `sh, curl to ${server.origin}${HOOK_PATH}`}`;
  },
};

/** Returns the server of a handler that may be ours. */
export function serverOf(handler: unknown): ServerAddress | null {
  const { url, command, headers } = isObject(handler) ? handler : {};
  const read = readCommand(command);
  const address = read === null ? url : read.url;
  if (typeof address !== 'string' || !address.endsWith(HOOK_PATH)) return null;
  const origin = address.slice(0, -HOOK_PATH.length);
  if (!URL.canParse(origin)) return null;
  // An HTTP hook does not name the token file. It only shows that there is one.
  return { origin, token_file: read?.token_file ?? (headers === undefined ? null : '') };
}

function httpHandler({ origin, token_file }: ServerAddress): HttpHandler {
  const token = {
    headers: { Authorization: `Bearer $${TOKEN_VARIABLE}` },
    allowedEnvVars: [TOKEN_VARIABLE],
  };
  return {
    type: 'http',
    url: `${origin}${HOOK_PATH}`,
    ...(token_file === null ? {} : token),
    timeout: HTTP_TIMEOUT_S,
  };
}

function commandHandler(server: ServerAddress): CommandHandler {
  return { type: 'command', command: commandOf(commandFor(server)), timeout: COMMAND_TIMEOUT_S };
}

function earlierHandler(server: ServerAddress): CommandHandler {
  return { type: 'command', command: earlierCommandOf(commandFor(server)), timeout: COMMAND_TIMEOUT_S };
}

function commandFor({ origin, token_file }: ServerAddress): HookCommand {
  return { url: `${origin}${HOOK_PATH}`, token_file };
}
