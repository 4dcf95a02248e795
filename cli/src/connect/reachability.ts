/**
 * Checks that a server takes what the hooks send to their address. After connecting, the user could not tell a missing
 * server, or a refused token, from an idle agent.
 *
 * Invariant: the result is a sentence and never an error, since the user may connect before the server starts.
 */
import { COMMAND, shellWord } from '../command-name.ts';
import { askServer, type ServerState } from '../doctor/server.ts';
import { tokenLine } from '../token-file.ts';
import type { ServerAddress } from './agent.ts';

/** Returns one line for the user. `again` is the command to repeat with the token of the server. */
export async function reachability({ origin, token_file }: ServerAddress, again: string): Promise<string> {
  const token = token_file === null ? null : tokenLine(token_file);
  const state = await askServer(origin, token);
  if (state.kind === 'answers') return `A server answers at ${origin}.`;
  if (state.kind !== 'locked')
    return absence(origin, state, `Start one (${COMMAND}): until then what agents send is lost.`);
  const remedy = `Type ${again} --token-file FILE with the file that the server was started with.`;
  if (token_file === null)
    return `The server at ${origin} wants a token, and refuses everything that comes without it. ${remedy}`;
  return token === null
    ? `The server at ${origin} wants a token, and ${shellWord(token_file)} cannot be read or is empty. ${remedy}`
    : `The server at ${origin} refuses the token in ${shellWord(token_file)}. ${remedy}`;
}

/** Says what is at an address that no server of this project answers at. */
export function absence(
  origin: string,
  state: Extract<ServerState, { kind: 'foreign' | 'unreachable' }>,
  start = `Start one (${COMMAND}), or name another with --url.`,
): string {
  if (state.kind === 'foreign')
    return `What answers at ${origin} is no server of this project (status ${state.status}). ${start}`;
  return state.isListening
    ? `A program listens at ${origin} and does not answer (${state.reason}). End it first. ${start}`
    : `No server answers at ${origin} (${state.reason}). ${start}`;
}
