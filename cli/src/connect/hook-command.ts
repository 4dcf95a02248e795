/**
 * Builds a hook command: it sends its input to a server with curl, and names the agent's process in the query (HOK-05).
 *
 * It sends in the foreground, so hooks of one agent arrive in the order in which the agent runs them. An unresponsive
 * server therefore delays each hook by `SEND_LIMIT_S` (docs/decisions/0109-command-hooks.md).
 *
 * It needs a POSIX shell and curl. Invariants: the command prints nothing and ends with 0, whatever fails. It contains
 * no secret. `readCommand` parses every command that this module writes or has written.
 */
import { isLoopback, quote, type ServerAddress } from './agent.ts';

/** Time limit of sending, in seconds. */
const SEND_LIMIT_S = 1;

/** The parts of a command. */
export interface HookCommand {
  readonly url: string;
  readonly token_file: ServerAddress['token_file'];
}

/** `exec` replaces the agent's shell, which may be any. So the parent of the script is the agent. */
export function commandOf(command: HookCommand): string {
  return `exec /bin/${wordsOf(scriptOf(command), command)}`;
}

function wordsOf(script: string, { url, token_file }: HookCommand): string {
  const words = token_file === null ? [url] : [url, token_file];
  return `sh -c ${quote(script)} twin-ingest ${words.map(quote).join(' ')}`;
}

const WORD = "'((?:[^']|'\\\\'')+)'";
const COMMAND = new RegExp(`^(?:exec /bin/)?sh -c '[^']*' twin-ingest ${WORD}(?: ${WORD})?$`);

/** Parses a command that this module writes or has written. Returns `null` if only one byte differs. */
export function readCommand(text: unknown): HookCommand | null {
  const found = typeof text === 'string' ? COMMAND.exec(text) : null;
  if (found === null) return null;
  const [url, token_file = null] = found.slice(1).map((word) => word?.replaceAll("'\\''", "'") ?? null);
  if (url == null || !URL.canParse(url)) return null;
  const command = { url, token_file };
  return [commandOf(command), earlierCommandOf(command)].includes(text as string) ? command : null;
}

/**
 * Names the agent's process. `$1` is the address, `$2` the file with the token.
 *
 * The name of a program in `/proc/PID/stat` may contain blanks and parentheses, so the fields begin behind the last
 * parenthesis. There the third field becomes `$3`, and `$22` the start time. `fdinfo` has the number of the namespace
 * since Linux 5.14, and saves the start of `readlink`. Without `/proc` only the pid is known.
 */
const PROCESS = [
  'q="pid=$PPID"',
  `read -r s <"/proc/$PPID/stat" && set -- "$1" "$2" \${s##*") "} && q="$q&pid_started=\${22}"`,
  'read -r s </proc/sys/kernel/random/boot_id && q="$q&boot_id=$s"',
  '{ read -r s && read -r s && read -r s && read -r s n; } 5</proc/self/ns/pid </proc/self/fdinfo/5',
  `{ [ "$s" = ino: ] || n=$(readlink /proc/self/ns/pid); } && n=\${n#*[} && q="$q&pid_namespace=\${n%]}"`,
].join('; ');

/**
 * Ends curl, whose own limit does not cover the wait for an input that the agent keeps open. It holds no pipe of the
 * agent, and ends its `sleep` when the script ends it.
 */
const LIMIT = `{ trap "kill \\$!; exit" TERM; sleep ${SEND_LIMIT_S} & wait $! && kill $p; } 4<&- & l=$!`;

/**
 * Returns the script.
 *
 * curl reads the payload itself, because a shell's variable loses NUL bytes and the last line ends. It reads descriptor
 * 4: if the agent has closed its input, that redirection fails, and curl does not wait for input. The token goes
 * through a pipe, since all users can see arguments, and from a subshell, which exports no variable to curl. On
 * loopback curl ignores the user's proxy. It never reads a curlrc, which could make it wait.
 */
function scriptOf({ url, token_file }: HookCommand): string {
  const curl =
    `curl -q ${isLoopback(url) ? '--noproxy "*" ' : ''}-s -o /dev/null --max-time ${SEND_LIMIT_S} ` +
    '-H "Content-Type: application/json" -H Expect: --data-binary @-';
  const send =
    token_file === null
      ? `${curl} "$1?$q" <&4`
      : '{ t=; [ -f "$2" ] && read -r t <"$2"; printf "Authorization: Bearer %s\\n" "$t"; } | ' +
        `${curl} -H @/dev/fd/3 "$1?$q" 3<&0 <&4`;
  const sending = `${send} & p=$!; ${LIMIT}; wait $p; kill $l`;
  return `{ { ${PROCESS}; ${sending}; } 4<&0; } >/dev/null 2>&1; exit 0`;
}

/** Returns the command of an earlier version, which `connect` replaces and `--undo` removes. */
export function earlierCommandOf(command: HookCommand): string {
  const { url, token_file } = command;
  const curl =
    `curl ${isLoopback(url) ? '-q --noproxy "*" ' : ''}-s -o /dev/null -m 5 ` +
    '-H "Content-Type: application/json"';
  const send =
    token_file === null
      ? `printf %s "$payload" | ${curl} --data-binary @- "$1"`
      : `read -r token <"$2"; printf %s "$payload" | { printf "Authorization: Bearer %s\\n" "$token" | ` +
        `${curl} -H @- --data-binary @/dev/fd/3 "$1"; } 3<&0`;
  return wordsOf(`payload=$(cat); { trap "" HUP; ${send}; } </dev/null >/dev/null 2>&1 & exit 0`, command);
}
