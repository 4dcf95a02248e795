/**
 * The hook handlers that are written for Codex, by the event that each is for
 * (https://developers.openai.com/codex/hooks).
 *
 * The servers have no address for hooks of Codex, so a command sends each as an event: the payload's own members
 * (`session_id`, `model`, `tool_name`) are those of an event, and the command adds the rest. Only what telemetry lacks
 * is connected. Invariant: no hook here counts a call or a prompt, since Codex's logs count them.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ServerAddress } from './agent.ts';
import type { CommandHandler } from './claude-hooks.ts';
import { commandOf, readCommand } from './hook-command.ts';
import type { HookKind } from './hooks-edit.ts';
import { isObject } from './json-object.ts';

/** As in contract/routes.json. */
export const EVENTS_PATH = '/api/events';

export const CODEX_AGENT_TYPE = 'codex';

/** The most that Codex grants the end of a session. */
const TIMEOUT_S = 3;

/** Codex's event, and the event_type that it becomes. */
const EVENT_TYPES: Readonly<Record<string, string>> = {
  SessionEnd: 'session_end',
  PreToolUse: 'plan_step',
  PermissionRequest: 'plan_step',
  PreCompact: 'plan_step',
  PostCompact: 'plan_step',
  SubagentStart: 'plan_step',
  SubagentStop: 'plan_step',
  Stop: 'response',
};

export function codexHandlersFor(server: ServerAddress): ReadonlyMap<string, CommandHandler> {
  return new Map(Object.keys(EVENT_TYPES).map((event) => [event, handlerOf(server, event)]));
}

export const CODEX_HOOKS: HookKind = {
  isOwn(handler) {
    const server = codexServerOf(handler);
    return (
      server !== null && [...codexHandlersFor(server).values()].some((own) => isDeepStrictEqual(own, handler))
    );
  },
  isAbout(handler, origin = '') {
    const { command } = isObject(handler) ? handler : {};
    return (
      typeof command === 'string' &&
      command.includes(' twin-ingest ') &&
      command.includes(`${origin}${EVENTS_PATH}'`)
    );
  },
  describe(handler) {
    const server = codexServerOf(handler);
    const command = isObject(handler) ? handler.command : handler;
    return server === null ? `command  ${command}` : `command  sh, curl to ${server.origin}${EVENTS_PATH}`;
  },
};

/** The server of a handler that may be ours. */
export function codexServerOf(handler: unknown): ServerAddress | null {
  const read = readCommand(isObject(handler) ? handler.command : undefined, true);
  if (read === null || !read.url.endsWith(EVENTS_PATH)) return null;
  return { origin: read.url.slice(0, -EVENTS_PATH.length), token_file: read.token_file };
}

function handlerOf({ origin, token_file }: ServerAddress, event: string): CommandHandler {
  const members = JSON.stringify({
    agent_type: CODEX_AGENT_TYPE,
    event_type: EVENT_TYPES[event],
    source: 'hook',
    source_event: event,
  }).slice(1, -1);
  const command = commandOf({ url: `${origin}${EVENTS_PATH}`, members, token_file });
  return { type: 'command', command, timeout: TIMEOUT_S };
}
