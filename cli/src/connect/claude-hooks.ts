/**
 * The hook handlers that `pnpm connect claude-code` writes, by the event of Claude Code that each is for
 * (https://code.claude.com/docs/en/hooks; which event, and how it is connected: contract/hooks/claude-code.json).
 *
 * An HTTP hook where Claude Code has one; for the rest a command that reads what it is given, leaves the sending to
 * the background and ends, so that the agent waits for nobody, whether a server runs or not.
 * What must stay true: whatever this ever wrote is recognised as its own, to the letter, and nothing else is; no
 * secret is in a handler. Knows nothing of files.
 */
import { isDeepStrictEqual } from 'node:util';
import HOOKS from '../../../contract/hooks/claude-code.json' with { type: 'json' };

/** Where hooks are posted to. */
export interface HookServer {
  /** `http://127.0.0.1:3141`, without a path. */
  readonly origin: string;
  /** Absolute; of a server that wants a token. */
  readonly token_file: string | null;
}

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

/** As in contract/routes.json. */
export const HOOK_PATH = '/api/hooks/claude-code';

/** Holds the token for HTTP hooks; not one of the servers' own variables, which refuse those they do not know. */
export const TOKEN_VARIABLE = 'TWIN_INGEST_TOKEN';

/** Seconds that a server which hangs may hold up the agent. */
const HTTP_TIMEOUT_S = 2;
const COMMAND_TIMEOUT_S = 5;

/** The handler of each event, in the contract's order. */
export function handlersFor(server: HookServer): ReadonlyMap<string, Handler> {
  const handlers = new Map<string, Handler>();
  for (const [event, hook] of Object.entries(HOOKS.hooks)) {
    // Without `connect`: a hook that would take the place of what it watches.
    if (!('connect' in hook)) continue;
    handlers.set(event, hook.connect === 'http' ? httpHandler(server) : commandHandler(server));
  }
  return handlers;
}

/** Whether a value of the settings is, to the letter, what this writes for some server. */
export function isOwn(handler: unknown): handler is Handler {
  const server = serverOf(handler);
  if (server === null) return false;
  return [httpHandler(server), commandHandler(server)].some((own) => isDeepStrictEqual(own, handler));
}

/** Whether a value of the settings sends hooks to a server of this project, whoever wrote it; `origin`: to this one. */
export function isAbout(handler: unknown, origin = ''): boolean {
  const { url, command } = fieldsOf(handler);
  return [url, command].some((text) => typeof text === 'string' && text.includes(`${origin}${HOOK_PATH}`));
}

function httpHandler({ origin, token_file }: HookServer): HttpHandler {
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

function commandHandler({ origin, token_file }: HookServer): CommandHandler {
  const script = scriptOf(isLoopback(origin), token_file !== null);
  const words = [`${origin}${HOOK_PATH}`, ...(token_file === null ? [] : [token_file])];
  return {
    type: 'command',
    command: `sh -c ${quote(script)} twin-ingest ${words.map(quote).join(' ')}`,
    timeout: COMMAND_TIMEOUT_S,
  };
}

/**
 * POSIX shell; `$1` is the address, `$2` the file with the token.
 *
 * The payload is read to its end before anything else: once the command has ended, nobody writes the rest of it. What
 * runs in the background holds none of the agent's pipes and outlives its terminal. On loopback no proxy and no
 * curlrc of the user's comes in between. The token goes through a pipe, since arguments can be seen by all users.
 */
function scriptOf(isLocal: boolean, hasToken: boolean): string {
  const curl =
    `curl ${isLocal ? '-q --noproxy "*" ' : ''}-s -o /dev/null -m ${COMMAND_TIMEOUT_S} ` +
    '-H "Content-Type: application/json"';
  const send = hasToken
    ? `read -r token <"$2"; printf %s "$payload" | { printf "Authorization: Bearer %s\\n" "$token" | ` +
      `${curl} -H @- --data-binary @/dev/fd/3 "$1"; } 3<&0`
    : `printf %s "$payload" | ${curl} --data-binary @- "$1"`;
  return `payload=$(cat); { trap "" HUP; ${send}; } </dev/null >/dev/null 2>&1 & exit 0`;
}

const COMMAND = /^sh -c '[^']*' twin-ingest '([^']+)'(?: '((?:[^']|'\\'')+)')?$/;

/** The server of a handler that may be an own one. */
function serverOf(handler: unknown): HookServer | null {
  const { url, command, headers } = fieldsOf(handler);
  const parts = typeof command === 'string' ? COMMAND.exec(command) : null;
  const address = parts === null ? url : parts[1];
  if (typeof address !== 'string' || !address.endsWith(HOOK_PATH)) return null;
  const origin = address.slice(0, -HOOK_PATH.length);
  if (!URL.canParse(origin)) return null;
  const named = parts?.[2]?.replaceAll("'\\''", "'");
  // An HTTP hook does not say which file the token is in, only that there is one.
  const token_file = named ?? (headers === undefined ? null : '');
  return { origin, token_file };
}

function fieldsOf(handler: unknown): Readonly<Record<string, unknown>> {
  return typeof handler === 'object' && handler !== null ? { ...handler } : {};
}

/** As one word of a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Whether the address stays on this machine. */
export function isLoopback(origin: string): boolean {
  const { hostname } = new URL(origin);
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\./.test(hostname)
  );
}
