/**
 * Writes the lines that a person reads after a start: the dashboard, the server, and commands to paste.
 *
 * Invariant: the commands work as they are printed, in every folder and for this server. No line has the token.
 */
import { resolve } from 'node:path';
import { COMMAND, shellWord } from '../command-name.ts';
import { DEFAULT_ORIGIN } from '../connect/agent.ts';
import type { Ready } from './program.ts';

export interface BannerFacts {
  readonly ready: Ready;
  /** The server and why it was chosen. */
  readonly server: string;
  readonly db: string;
  /** The file of the token as the server got it. */
  readonly tokenFile: string | undefined;
  /** Whether a browser opens the dashboard now. */
  readonly open: boolean;
}

const WIDTH = 60;
const LABEL = 13;

export function bannerLines({ ready, server, db, tokenFile, open }: BannerFacts): string[] {
  const url = usable(ready.url);
  const login_url = ready.login_url && usable(ready.login_url);
  // Only a server with a token prints an address to sign in with.
  const file = login_url === undefined || tokenFile === undefined ? null : resolve(tokenFile);
  const connect = [
    ...(url === DEFAULT_ORIGIN ? [] : [`--url ${url}`]),
    ...(file === null ? [] : [`--token-file ${shellWord(file)}`]),
  ];
  const send = [
    "-H 'content-type: application/json'",
    ...(file === null ? [] : [`-H "authorization: Bearer $(cat ${shellWord(file)})"`]),
    `-d '{"session_id":"s1",`,
  ];
  // Line ends within the quotes are part of the JSON.
  const body = ['    "agent_type":"claude_code",', `    "event_type":"tool_use"}'`];
  return [
    '',
    ...labelled('Dashboard', [login_url ?? `${url}/`]),
    ...(file === null
      ? []
      : [
          ...labelled('', [`(works once${open ? ', in the browser that opens now' : ''})`]),
          ...labelled('Again', [`${url}/?token=TOKEN, where TOKEN is the text of ${file}`]),
        ]),
    ...labelled('Server', [server]),
    ...labelled('Events', [db]),
    ...labelled('Connect', command(`${COMMAND} connect claude-code`, connect)),
    ...labelled('', ['(or codex, gemini, opencode)']),
    ...labelled('Send', [...command(`curl ${url}/api/events`, send), ...body]),
    '  Ctrl-C stops the server.',
    '',
  ];
}

/** Replaces the address that stands for every address of this machine, to which a client cannot connect everywhere. */
export function usable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** Returns a command on one line if that is short, else each part on a line of its own. */
function command(start: string, parts: readonly string[]): string[] {
  const line = [start, ...parts].join(' ');
  if (line.length + LABEL <= WIDTH) return [line];
  return [start, ...parts.map((part) => `  ${part}`)].map((text, i) =>
    i < parts.length ? `${text} \\` : text,
  );
}

function labelled(label: string, [first = '', ...rest]: readonly string[]): string[] {
  return [`  ${label}`.padEnd(LABEL) + first, ...rest.map((text) => ' '.repeat(LABEL) + text)];
}
