/**
 * Builds a hook command. The command reads its input, sends it in the background and ends, so the agent never waits for
 * an answer.
 *
 * It needs a POSIX shell and curl. Invariant: a command contains no secret, and `readCommand` parses every command that
 * this module wrote.
 */
import { isLoopback, quote, type ServerAddress } from './agent.ts';

/** Time limit of sending, in seconds. */
export const COMMAND_TIMEOUT_S = 5;

/** The parts of a command. */
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

/** Parses a command that this module wrote. Returns `null` for any other, even if only one byte differs. */
export function readCommand(text: unknown): HookCommand | null {
  const found = typeof text === 'string' ? COMMAND.exec(text) : null;
  if (found === null) return null;
  const [url, token_file = null] = found.slice(1).map((word) => word?.replaceAll("'\\''", "'") ?? null);
  if (url == null || !URL.canParse(url)) return null;
  const command = { url, token_file };
  return commandOf(command) === text ? command : null;
}

/**
 * Returns the script. `$1` is the address, `$2` the file with the token.
 *
 * The script first reads the whole payload: after the command ends, the agent cannot write the rest. The background
 * process holds none of the agent's pipes and outlives its terminal. On loopback it ignores the user's proxy and
 * curlrc. The token goes through a pipe, since all users can see arguments.
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
