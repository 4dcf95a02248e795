/**
 * A hook as a command: it reads what it is given, leaves the sending to the background and ends, so that the agent
 * waits for no answer, whether a server runs or not.
 *
 * POSIX shell and curl. Invariant: no secret is in a command; what this wrote is read again by `readCommand`.
 */
import { isLoopback, quote, type ServerAddress } from './agent.ts';

/** Seconds that the sending may take. */
export const COMMAND_TIMEOUT_S = 5;

/** What a command was made of. */
export interface HookCommand {
  readonly url: string;
  readonly token_file: ServerAddress['token_file'];
}

export function commandOf(command: HookCommand): string {
  const { url, token_file } = command;
  const script = scriptOf(command);
  const words = token_file === null ? [url] : [url, token_file];
  return `sh -c ${quote(script)} twin-ingest ${words.map(quote).join(' ')}`;
}

const WORD = "'((?:[^']|'\\\\'')+)'";
const COMMAND = new RegExp(`^sh -c '[^']*' twin-ingest ${WORD}(?: ${WORD})?$`);

/** `null` for what is no such command, to the letter. */
export function readCommand(text: unknown): HookCommand | null {
  const found = typeof text === 'string' ? COMMAND.exec(text) : null;
  if (found === null) return null;
  const [url, token_file = null] = found.slice(1).map((word) => word?.replaceAll("'\\''", "'") ?? null);
  if (url == null || !URL.canParse(url)) return null;
  const command = { url, token_file };
  return commandOf(command) === text ? command : null;
}

/**
 * `$1` is the address, `$2` the file with the token.
 *
 * The payload is read to its end before anything else: once the command has ended, the agent cannot write the rest. What
 * runs in the background holds none of the agent's pipes and outlives its terminal. On loopback no proxy and no
 * curlrc of the user's comes in between. The token goes through a pipe, since arguments can be seen by all users.
 */
function scriptOf({ url, token_file }: HookCommand): string {
  const curl =
    `curl ${isLoopback(url) ? '-q --noproxy "*" ' : ''}-s -o /dev/null -m ${COMMAND_TIMEOUT_S} ` +
    '-H "Content-Type: application/json"';
  const send =
    token_file === null
      ? `printf %s "$payload" | ${curl} --data-binary @- "$1"`
      : `read -r token <"$2"; printf %s "$payload" | { printf "Authorization: Bearer %s\\n" "$token" | ` +
        `${curl} -H @- --data-binary @/dev/fd/3 "$1"; } 3<&0`;
  return `payload=$(cat); { trap "" HUP; ${send}; } </dev/null >/dev/null 2>&1 & exit 0`;
}
